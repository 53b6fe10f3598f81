// SPDX-License-Identifier: MIT
/*
 * A set of patterns that merges what can be merged without loss: two patterns of one mask that
 * differ in one fixed bit are together exactly the pattern with that bit free. Whatever is added
 * is merged so until no bit of it allows more; thus bad pages at regular strides become one
 * pattern however they are arranged.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

#define PATTERN_SET_MAX     4096
#define PATTERN_SET_BUCKETS 4096

struct pattern_set {
    size_t n;
    uint64_t addr_bits; /* OR of all addresses ever added: no other bits need a try */
    struct pattern pattern[PATTERN_SET_MAX];
    uint16_t next[PATTERN_SET_MAX];     /* in the chain of a bucket */
    uint16_t head[PATTERN_SET_BUCKETS]; /* by hash of the pattern */
};

void pattern_set_clear(struct pattern_set *set);

/* Adds p, which merges or takes a free place; there must be one. */
void pattern_set_add(struct pattern_set *set, struct pattern p);

/* Makes a set again of what the caller has put into pattern[] and n. */
void pattern_set_rebuild(struct pattern_set *set);
