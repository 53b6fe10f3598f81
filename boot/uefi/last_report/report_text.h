// SPDX-License-Identifier: MIT
/* The report of the last run as text for people and as names of files. Pure. */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

#define REPORT_LINE_MAX SAVED_JSONL_MAX /* of the line, with the NUL */
#define REPORT_NAME_MAX 80              /* of a file's name, with the NUL */

/*
 * The verdict and the date on a line of 75 characters at most. The verdict: "PASS", "PARTIAL",
 * "FAIL", "STOPPED", "ERROR", "ERRORS CORRECTED", "INCOMPLETE", "DID NOT FINISH", or "NOT
 * READABLE"; of a run in a search for the bad module its headline, such as "BAD MODULE FOUND".
 */
void report_append_headline(const struct saved_report *report, struct fmt_buffer *out);

/* What is known, in paragraphs of one line each, without the bootloader's line. */
void report_append_summary(const struct saved_report *report, struct fmt_buffer *out);

/* The bootloader's line of the last badram record, such as "badram=0x1000,0x...", or "". */
void report_line(const struct saved_report *report, char out[REPORT_LINE_MAX]);

/*
 * 2026-11-22-1314-QEMU-Standard-PC: letters, digits and hyphens; n from 2 on is appended. At most
 * REPORT_NAME_MAX - 8 characters.
 */
void report_append_name(const struct saved_report *report, unsigned n, struct fmt_buffer *out);
