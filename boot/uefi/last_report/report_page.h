// SPDX-License-Identifier: MIT
/* The report of the last run as one HTML file: its records in the viewer (tools/viewer). Pure. */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

/* What is before and after the records: boot/uefi/x86_64/viewer.asm. */
extern const char viewer_head[], viewer_end[];

#define REPORT_VIEWER_MAX (128u << 10) /* bytes of both, which the build checks */
#define REPORT_ESCAPE_MAX 6u           /* bytes that one becomes */

/* Room for any. */
#define REPORT_PAGE_MAX (REPORT_VIEWER_MAX + REPORT_ESCAPE_MAX * SAVED_JSONL_MAX)

/*
 * Of the records, < and & become JSON's \u003c and \u0026, so no text can end the element that they
 * are in; what is not UTF-8 or is a control character becomes '?'.
 */
void report_append_page(const struct saved_report *report, struct fmt_buffer *out);
