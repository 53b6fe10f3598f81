// SPDX-License-Identifier: MIT
/*
 * How often a bit of memory is read, and compared, while it is to be 0, and while it is to be 1. A
 * stuck cell is wrong each time that it is to be the other, whatever the data.
 */
#pragma once

#include <stdint.h>

#include "sweep/tests.h"

struct kind_reads {
    const struct test_list *tests;
    uint64_t seed;   /* of the first pass; each pass has one more */
    uint32_t passes; /* completed */
};

/* ret[b]: by marches, while the bit (0-63) of the word at addr is to be b. */
void kind_reads_of(const struct kind_reads *reads, uint64_t addr, unsigned bit, uint64_t ret[2]);
