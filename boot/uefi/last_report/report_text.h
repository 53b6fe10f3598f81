// SPDX-License-Identifier: MIT
/* The report of the last run as text for people and as names of files. Pure. */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"
#include "saved/saved_read.h"

#define REPORT_LINE_MAX SAVED_JSONL_MAX /* of the line, with the NUL */
#define REPORT_NAME_MAX 80              /* of a file's name, with the NUL */

/*
 * "PASS", "PARTIAL", "FAIL", "STOPPED", "ERROR", "ERRORS CORRECTED", "INCOMPLETE", "DID NOT
 * FINISH", or "NOT READABLE"; of a run in a search for the bad module its headline, such as "BAD
 * MODULE FOUND".
 */
void report_append_verdict(const struct saved_report *report, struct fmt_buffer *out);

/* The run's own, in a search, too. */
const char *report_run_verdict(const struct saved_report *report);

/* Whether the run was one of a search for the bad module, whose headline is the verdict. */
bool report_is_of_search(const struct saved_report *report);

/*
 * "1 bad page", "no bad page", or, of pages that are bad by ECC's errors alone, "ECC corrected 43
 * errors in 1 page"; then the faults, if there are any: ", 3 faults".
 */
void report_append_damage(const struct saved_report *report, struct fmt_buffer *out);

/* "2026-11-22 13:14" from a date of struct saved_state, or "at an unknown time". */
void report_append_date(const char *date, struct fmt_buffer *out);

/* Verdict and date on a line of 75 characters at most. */
void report_append_headline(const struct saved_report *report, struct fmt_buffer *out);

/* What is known, in paragraphs of one line each, without the bootloader's line. */
void report_append_summary(const struct saved_report *report, struct fmt_buffer *out);

/* "Tests: address, march-c-.\n", those that ended, each once; nothing if none did. */
void report_append_tests(const struct saved_report *report, struct fmt_buffer *out);

/* The bootloader's line of the last badram record, such as "badram=0x1000,0x...", or "". */
void report_line(const struct saved_report *report, char out[REPORT_LINE_MAX]);

/*
 * 2026-11-22-1314-QEMU-Standard-PC: letters, digits and hyphens; n from 2 on is appended. At most
 * REPORT_NAME_MAX - 8 characters.
 */
void report_append_name(const struct saved_report *report, unsigned n, struct fmt_buffer *out);

/* The .txt file: the summary, then the records. The .jsonl file is the report's `jsonl`. */
#define REPORT_TXT_MAX (16 * SAVED_JSONL_MAX) /* room for any */
void report_append_txt(const struct saved_report *report, struct fmt_buffer *out);
