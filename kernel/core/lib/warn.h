// SPDX-License-Identifier: MIT
/*
 * Where the readers of firmware data and of options say what was wrong and what is done instead.
 * Each text is one sentence in plain ASCII, without a line end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct warnings {
    void (*warn)(void *ctx, const char *text); /* text is good only during the call */
    void *ctx;
};

/* Says nothing: for who reads a table before the one that says what is wrong with it. */
extern const struct warnings warnings_silent;

/* Longer texts are cut. */
#define WARNING_TEXT_MAX 416

/* Formats as lib/fmt.h does and hands the text to `to`. */
void warn_print(const struct warnings *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What is wrong in a table, counted by kind: "table: text: count" for each count that is not 0. */
void warn_counts(const struct warnings *to, const char *table, const char *const *text,
                 const uint64_t *count, size_t n);
