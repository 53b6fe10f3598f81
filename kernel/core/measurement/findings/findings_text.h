// SPDX-License-Identifier: MIT
/* How the sentence of a finding is put together, with lists inside it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "findings/findings.h"
#include "lib/fmt.h"
#include "lib/warn.h"

/* A sentence that grows. */
struct findings_text {
    char text[WARNING_TEXT_MAX];
    struct fmt_buffer buffer;
};

/* Begins it; t must stay where it is. */
void findings_begin(struct findings_text *t);

/* A size as modules are sold: "96 GiB", "1.5 GiB", "512 MiB". */
void findings_size(struct findings_text *t, uint64_t bytes);

/* Gives the sentence as a warning. */
void findings_say(const struct findings_text *t, const struct warnings *warnings);

/* Writes the name of element i of a list. */
typedef void findings_name(const void *ctx, uint32_t i, struct fmt_buffer *out);

/* Whether element i of a list belongs to what is said. */
typedef bool findings_filter(const void *ctx, uint32_t i);

/* How many of n elements `wanted` takes. */
uint32_t findings_count(uint32_t n, findings_filter *wanted, const void *ctx);

/*
 * Appends "A, B, C", the names of those of n elements that `wanted` takes, and "and 5 more" instead
 * of what would not fit.
 */
void findings_list(struct findings_text *t, uint32_t n, findings_filter *wanted,
                   findings_name *name, const void *ctx);
