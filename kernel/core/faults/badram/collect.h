// SPDX-License-Identifier: MIT
/*
 * Bad pages, from one to all there are, as few enough patterns that a search can begin with them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

/*
 * A set of patterns that merges what can be merged without loss: two patterns of one mask that
 * differ in one fixed bit are together exactly the pattern with that bit free. Whatever is added
 * is merged so until no bit of it allows more; thus bad pages at regular strides become one
 * pattern however they are arranged.
 */
#define PATTERN_SET_MAX     4096
#define PATTERN_SET_BUCKETS 4096

struct pattern_set {
    size_t n;
    uint64_t addr_bits; /* OR of all addresses ever added: no other bits need a try */
    struct pattern pattern[PATTERN_SET_MAX];
    uint16_t next[PATTERN_SET_MAX];     /* in the chain of a bucket */
    uint16_t head[PATTERN_SET_BUCKETS]; /* by hash of the pattern */
};

/* Makes a set of n patterns, at most PATTERN_SET_MAX, which may be set->pattern itself. */
void pattern_set_fill(struct pattern_set *set, const struct pattern *pattern, size_t n);

/* All bad pages as blocks, by address. Returns their number, 0 when they are more than max. */
size_t collect_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max);

/* The same, the nearest ones joined to larger blocks until they are at most max. */
size_t collect_few_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max);

/*
 * All bad pages as patterns. They hold no good page if that is possible with so few; else they are
 * regions of bad pages, and where there is no such structure they join what is nearest.
 */
void collect_patterns(const struct fault_log *log, struct pattern_set *ret_set);
