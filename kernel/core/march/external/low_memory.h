// SPDX-License-Identifier: MIT
/*
 * What changes in memory below 1 MiB while it is tested: firmware may write there. The first change
 * of each page is kept until it is drained, and tested again: a cell fails whenever it is tested;
 * firmware writes at irregular times, any value. What a fault does once in hundreds of stores is
 * looked for in many more (low_page_fails).
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
        uint32_t searches;                               /* low_may_search */
        uint64_t again_addr, again_bits, again_expected; /* low_comes_again */
        uint32_t again_round, times;
    } page[LOW_MEMORY_END >> PAGE_SHIFT];
    uint32_t pass;  /* the last one with scans */
    uint32_t round; /* of low_comes_again */
};

/* Lock-free, by any CPU. */
void low_memory_add(struct low_memory *low, const struct low_change *change);

/* The next by address. False: no more. Boot CPU, while no other CPU works. */
bool low_memory_drain(struct low_memory *low, struct low_change *ret_change);

/*
 * Whether the same bits of the same word have now been wrong at least LOW_TIMES times, each time
 * with other data expected there, and never more than LOW_ROUNDS rounds apart. A cell above 1 MiB
 * can cause that, and low_retest does not write to it. Firmware that stores a value turns other
 * bits over each time; firmware that sets a flag does not, but hardly in so many rounds. To be
 * called once for each change, by the boot CPU, which counts the rounds.
 */
#define LOW_TIMES  4
#define LOW_ROUNDS 16
bool low_comes_again(struct low_memory *low, const struct low_change *change);

#define LOW_RETEST_TRIES 8
#define LOW_SCAN_OPS     46 /* of low_scan, on each line: the march over two backgrounds, and 2 */

/* As many slices or words as there can be pages. */
#define LOW_RETEST_MAX (LOW_MEMORY_END >> PAGE_SHIFT)

/* All memory below 1 MiB that is tested, by address; its content is lost. */
struct low_retest {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct slice slice[LOW_RETEST_MAX];
    size_t n_slices;
};

/*
 * Runs low_retest's march once, which stores to each cell 18 times, and adds the changes that it
 * sees (low_memory_add). False: it was not run, because some lines return other lines' data, as
 * lines that share cells do; the address test reports those. While no other CPU works.
 */
bool low_scan(const struct low_retest *retest, struct low_memory *low, struct external_place place);

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

#define LOW_SEARCH_STORES 1000
#define LOW_SEARCH_READS  8 /* after each store */
#define LOW_SEARCH_FAULTS 4 /* as many times a word is wrong that counts as bad */

/* Whether the page of addr may be searched once more: LOW_SEARCHES_MAX times a run. Boot CPU. */
#define LOW_SEARCHES_MAX 4
bool low_may_search(struct low_memory *low, uint64_t addr);

/*
 * Whether the page of addr, with which low_retest found nothing wrong, has a fault that is rare.
 * The page is stored with other random data each time. A fault of memory comes with what is done to
 * it, and follows the data: a word is wrong from the first read after a store on, or is right again
 * at the last one; and each time either the same bits are wrong, or it is what was there before the
 * store. Another's store comes at any time, mostly between reads, and brings its own value, so that
 * each time other bits are wrong: with the first change that is not a fault's the search ends. A
 * program that inverts always the same bits might pass for a fault, if it did so four times between
 * a store and its first read and never in the seven times as long that follow. While no other CPU
 * works.
 */
bool low_page_fails(const struct low_retest *retest, uint64_t addr);
