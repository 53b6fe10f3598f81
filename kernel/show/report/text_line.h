// SPDX-License-Identifier: MIT
/* What the lines of the text log (report/text.h) have in common: time and label first. */
#pragma once

#include "lib/span.h"
#include "report/writer.h"

/* "[     1.234] ", t in seconds since kernel entry. */
void text_begin(const struct writer *out, double t);

/* The same, and a label, or "" under one, as wide as all labels are. */
void text_begin_labelled(const struct writer *out, double t, const char *label);

/* A whole line. */
void text_labelled(const struct writer *out, double t, const char *label, const char *text);

/* In a line: "2.0 GiB", "0:01:30", "0x000000100000-0x00007ffe0000  2.0 GiB". */
void text_put_size(const struct writer *out, uint64_t bytes);
void text_put_duration(const struct writer *out, double seconds);
void text_put_span(const struct writer *out, struct span s);
