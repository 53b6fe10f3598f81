// SPDX-License-Identifier: MIT
/* The records of a report as lines to read. Pure. */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

#define REPORT_RECORD_MAX (SAVED_JSONL_MAX + 512) /* room for any record, with the NUL */

/*
 * Appends a record (docs/jsonl.schema.json) as a line of plain ASCII with its \n; a bootloader's
 * text is on a line of its own. Appends nothing for records that are not for people.
 */
void report_append_record(const char *json_line, struct fmt_buffer *out);
