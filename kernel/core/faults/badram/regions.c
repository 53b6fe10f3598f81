// SPDX-License-Identifier: MIT
#include "badram/regions.h"

#include <stdbool.h>

#include "badram/bad_blocks.h"
#include "lib/bits.h"
#include "lib/splitmix.h"

/* The pages that are looked at to judge a half. */
#define SAMPLE 256

/* Bad pages among SAMPLE RAM pages of p, or among all where p holds no more. */
struct density {
    unsigned bad, ram;
};

static void look_at(const struct fault_log *log, uint64_t page, struct density *density)
{
    uint64_t index;

    if (page_index_index(log->space, page, &index) != STATUS_OK)
        return;
    density->ram++;
    density->bad += fault_log_is_bad(log, page << PAGE_SHIFT);
}

static struct density density_of(const struct fault_log *log, struct pattern p)
{
    uint64_t free = (~p.mask & PATTERN_MASK_BITS) >> PAGE_SHIFT, addr = p.addr >> PAGE_SHIFT;
    uint64_t random = 1, subset = 0;
    struct density density = { 0 };

    if (bits_count(free) > bits_count(SAMPLE - 1)) {
        for (unsigned i = 0; i < SAMPLE; i++)
            look_at(log, addr | (splitmix_next(&random) & free), &density);
        return density;
    }
    do {
        look_at(log, addr | subset, &density);
        subset = (subset - free) & free; /* the next subset of the free bits */
    } while (subset);
    return density;
}

static bool is_denser(struct density a, struct density b)
{
    return (uint64_t)a.bad * b.ram > (uint64_t)b.bad * a.ram;
}

static struct pattern grow(const struct fault_log *log, struct pattern p, uint64_t bits,
                           unsigned sparseness)
{
    for (;;) {
        struct density most = { 0, 1 };
        uint64_t best = 0;

        for (uint64_t left = p.mask & bits; left; left &= left - 1) {
            uint64_t bit = left & -left;
            struct density density = density_of(log, (struct pattern){ p.addr ^ bit, p.mask });

            if (is_denser(density, most)) {
                most = density;
                best = bit;
            }
        }
        if (!best || most.bad * sparseness < most.ram)
            return p;
        p.addr &= ~best;
        p.mask ^= best;
    }
}

/* Whether a region contains p. One that does comes to the front: the next page is likely near. */
static bool is_covered(struct pattern *region, size_t n, struct pattern p)
{
    for (size_t i = 0; i < n; i++) {
        struct pattern found = region[i];

        if (pattern_contains(found, p)) {
            region[i] = region[i / 2];
            region[i / 2] = found;
            return true;
        }
    }
    return false;
}

size_t regions_grow(const struct fault_log *log, unsigned sparseness, struct pattern *ret_region,
                    size_t max_regions)
{
    const struct page_extent *last = &log->space->extent[log->space->n_extents - 1];
    struct bad_blocks blocks = bad_blocks_start(log);
    uint64_t bits = PAGE_SIZE; /* that differ among RAM's addresses */
    struct pattern block;
    size_t n = 0;

    while (bits <= (page_run_end(last->run) - 1) << PAGE_SHIFT)
        bits <<= 1;
    bits = (bits - 1) & PATTERN_MASK_BITS;
    while (bad_blocks_next(&blocks, &block)) {
        if (is_covered(ret_region, n, block))
            continue;
        if (n == max_regions)
            return 0;
        ret_region[n++] = grow(log, block, bits, sparseness);
    }
    return n;
}
