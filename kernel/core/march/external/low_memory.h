// SPDX-License-Identifier: MIT
/*
 * What changes in memory below 1 MiB while it is tested: firmware may write there. The first change
 * of each page is kept until it is drained, and tested again: a cell fails whenever it is tested;
 * firmware writes at irregular times, any value.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "external/external.h"
#include "lib/span.h"
#include "sweep/engine.h"

#define LOW_MEMORY_END (UINT64_C(1) << 20)

struct low_change {
    uint64_t addr, expected, found; /* of one word */
    struct external_place place;
};

/* All zero: nothing changed. */
struct low_memory {
    struct {
        struct low_change change;
        atomic_uint state;
    } page[LOW_MEMORY_END >> PAGE_SHIFT];
};

/* Lock-free, by any CPU. */
void low_memory_add(struct low_memory *low, const struct low_change *change);

/* The next by address. False: no more. Boot CPU, while no other CPU works. */
bool low_memory_drain(struct low_memory *low, struct low_change *ret_change);

#define LOW_RETEST_TRIES 8

/* As many slices or words as there can be pages. */
#define LOW_RETEST_MAX (LOW_MEMORY_END >> PAGE_SHIFT)

/* All memory below 1 MiB that is tested, by address; its content is lost. */
struct low_retest {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct slice slice[LOW_RETEST_MAX];
    size_t n_slices;
};

struct low_word {
    uint64_t addr;
    uint64_t wrong_bits; /* in each try; 0: it is not a fault */
    uint64_t in_this_try;
};

/*
 * Tests all of it again, up to LOW_RETEST_TRIES times, by March SS (Hamdioui, van de Goor, Rodgers,
 * MTDT 2002) over solid and alternating bits: a word may be wrong because of a cell in another
 * page. Sets wrong_bits of the words. Ends with the try after which no word has any. While no other
 * CPU works.
 */
void low_retest(const struct low_retest *retest, struct low_word *word, size_t n);
