// SPDX-License-Identifier: MIT
/*
 * The report of the last run as one HTML file, without other files, scripts or network access.
 * Pure.
 */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

/* Room for the page of any report. */
#define REPORT_HTML_MAX 442368

/* Everything from the variables is escaped; what is not UTF-8 or is a control character is '?'. */
void report_append_html(const struct saved_report *report, struct fmt_buffer *out);
