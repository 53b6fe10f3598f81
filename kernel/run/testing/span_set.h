// SPDX-License-Identifier: MIT
/* The memory of a number of spans, each byte counted once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define SPAN_SET_MAX 1024

/* All zero: empty. */
struct span_set {
    struct span span[SPAN_SET_MAX]; /* disjoint, in no order */
    size_t n;
};

/* Adds a span; if there are SPAN_SET_MAX, one that overlaps none of them is lost. */
void span_set_add(struct span_set *set, struct span span);

uint64_t span_set_bytes(const struct span_set *set);
