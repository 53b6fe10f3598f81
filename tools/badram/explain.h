// SPDX-License-Identifier: MIT
/* What each pattern of a cover covers and costs. */
#pragma once

#include "arguments.h"
#include "badram/cover.h"
#include "log/fault_log.h"

/* A line on standard output for each pattern, and one for all together. */
void explain_cover(const struct cover *cover, const struct fault_log *log,
                   const struct arguments *arguments);
