// SPDX-License-Identifier: MIT
/*
 * Where a report goes: a stream that takes text piece by piece, so that no line has to be cut.
 */
#pragma once

#include <stddef.h>

struct writer {
    void (*write)(void *ctx, const char *text, size_t n);
    void *ctx;
};

/* A whole text, of any length. */
void writer_text(const struct writer *w, const char *text);

/* The same, with spaces after it up to width. */
void writer_padded(const struct writer *w, const char *text, size_t width);

/*
 * printf's way (lib/fmt.h), for numbers and short words: the result must be shorter than 256
 * characters. Text from firmware or the user goes through writer_text.
 */
void writer_print(const struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
