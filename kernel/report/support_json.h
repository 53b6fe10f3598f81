// SPDX-License-Identifier: MIT
/* The fields of the JSON record "support". */
#pragma once

#include "report/json.h"
#include "support/support.h"

void support_json_write(struct json *j, const struct support *s);
