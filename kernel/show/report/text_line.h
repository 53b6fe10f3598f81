// SPDX-License-Identifier: MIT
/* What the lines of the text log (report/text.h) have in common: time and label first. */
#pragma once

#include "lib/span.h"
#include "report/text.h"

/* "[     1.234] ", in seconds since kernel entry. */
#define TEXT_TIME "[%10.3f] "

/* The event's time, and a label, or "" under one, as wide as all labels are. */
void text_begin(struct text_log *l, const char *label);

/* A whole line. */
void text_line(struct text_log *l, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* In a line: "0x000000100000-0x00007ffe0000  2.0 GiB". */
void text_put_span(struct text_log *l, struct span s);
