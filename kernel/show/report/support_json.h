// SPDX-License-Identifier: MIT
/* The fields of the JSON record "support". */
#pragma once

#include "machine_facts/support.h"
#include "lib/json.h"

void support_json_write(struct json *j, const struct support *s);
