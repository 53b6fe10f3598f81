// SPDX-License-Identifier: MIT
/* The fields of the record `identity`: docs/jsonl.schema.json. */
#pragma once

#include "event/events.h"
#include "lib/json.h"

/* Names that say nothing are null (firmware/smbios_names.h). */
void identity_json_write(struct json *j, const struct event_identity *i);
