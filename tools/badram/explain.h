// SPDX-License-Identifier: MIT
/* Which pattern of a cover covers what, and what it costs, for a person. */
#pragma once

#include "arguments.h"
#include "badram/cover.h"
#include "log/fault_log.h"

/* A line on standard output for each pattern, and one for all together. */
void explain_cover(const struct cover *cover, const struct fault_log *log,
                   const struct arguments *arguments);
