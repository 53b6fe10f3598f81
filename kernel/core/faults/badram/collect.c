// SPDX-License-Identifier: MIT
#include "badram/collect.h"

#include "lib/bits.h"
#include "lib/panic.h"
#include "lib/splitmix.h"

/*
 * The bad pages of a fault log as blocks: aligned groups of 2^n adjoining pages, by address. Every
 * bad page is in one block, and a block holds bad pages only.
 */
struct bad_blocks {
    const struct fault_log *log;
    uint64_t index;       /* where to look for the next run */
    struct page_run left; /* of the present run */
};

/* The next block; false: no more. */
static bool next_block(struct bad_blocks *b, struct pattern *ret_block)
{
    uint64_t size = 1;
    unsigned order = 0;

    if (b->left.count == 0 && !fault_log_next_run(b->log, &b->index, &b->left))
        return false;
    while (b->left.first % (2 * size) == 0 && 2 * size <= b->left.count) {
        size *= 2;
        order++;
    }
    *ret_block = pattern_block(b->left.first, order);
    b->left.first += size;
    b->left.count -= size;
    return true;
}

#define COST_BITS 64

static struct pattern joined(struct pattern a, struct pattern b)
{
    return pattern_hull(pattern_join(a, b));
}

/* The number of bits in the cost of joining a and b: RAM pages newly covered. */
static unsigned cost_bits(struct pattern a, struct pattern b, const struct page_index *space)
{
    uint64_t before = pattern_pages(a, space) + pattern_pages(b, space);
    uint64_t after = pattern_pages(joined(a, b), space);

    return after > before ? COST_BITS - (unsigned)__builtin_clzll(after - before) : 0;
}

/* The least number of bits that enough neighbours stay within for `excess` joins. */
static unsigned affordable_bits(const struct pattern *block, size_t n, size_t excess,
                                const struct page_index *space)
{
    size_t pairs[COST_BITS + 1] = { 0 }, sum = 0;
    unsigned bits = 0;

    for (size_t i = 0; i + 1 < n; i++)
        pairs[cost_bits(block[i], block[i + 1], space)]++;
    for (; bits < COST_BITS; bits++) {
        sum += pairs[bits];
        if (sum >= excess)
            break;
    }
    return bits;
}

/*
 * Makes a long list of blocks short in linear time, the coarse step before merge.h's careful one:
 * joins the cheapest neighbours of a sorted list, each pair to the smallest block that covers both,
 * until at most target (1 or more) are left.
 */
static size_t premerge_blocks(struct pattern *block, size_t n, size_t target,
                              const struct page_index *space)
{
    while (n > target) {
        unsigned bits = affordable_bits(block, n, n - target, space);
        size_t kept = 0;

        for (size_t i = 0; i < n;) {
            struct pattern p = block[i++];

            if (i < n && kept + 1 + (n - i) > target && cost_bits(p, block[i], space) <= bits) {
                p = joined(p, block[i++]);
                while (kept && pattern_contains(p, block[kept - 1]))
                    kept--;
                while (i < n && pattern_contains(p, block[i]))
                    i++;
            }
            block[kept++] = p;
        }
        n = kept;
    }
    return n;
}

size_t collect_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct bad_blocks blocks = { .log = log };
    struct pattern block;
    size_t n = 0;

    while (next_block(&blocks, &block)) {
        if (n == max)
            return 0;
        ret_block[n++] = block;
    }
    return n;
}

size_t collect_few_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct bad_blocks blocks = { .log = log };
    struct pattern block;
    size_t n = 0;

    while (next_block(&blocks, &block)) {
        if (n == max)
            n = premerge_blocks(ret_block, n, max / 2, log->space);
        if (n == 0 || !pattern_contains(ret_block[n - 1], block))
            ret_block[n++] = block;
    }
    return n;
}

#define END UINT16_MAX

_Static_assert(PATTERN_SET_MAX <= END, "places are 16-bit numbers");

static void clear(struct pattern_set *set)
{
    set->n = 0;
    set->addr_bits = 0;
    for (size_t i = 0; i < PATTERN_SET_BUCKETS; i++)
        set->head[i] = END;
}

/* Where the chain that p belongs to begins: Fibonacci hashing. */
static uint16_t *chain_of(struct pattern_set *set, struct pattern p)
{
    uint64_t hash = (p.addr ^ p.mask << 7) * UINT64_C(0x9e3779b97f4a7c15);

    return &set->head[(hash >> 32) % PATTERN_SET_BUCKETS];
}

/* The link that leads to p; one that holds END when p is not in the set. */
static uint16_t *find(struct pattern_set *set, struct pattern p)
{
    uint16_t *link = chain_of(set, p);

    while (*link != END &&
           (set->pattern[*link].addr != p.addr || set->pattern[*link].mask != p.mask))
        link = &set->next[*link];
    return link;
}

static void insert(struct pattern_set *set, struct pattern p)
{
    uint16_t *head = chain_of(set, p), i = (uint16_t)set->n;

    ASSERT(set->n < PATTERN_SET_MAX);
    set->pattern[i] = p;
    set->next[i] = *head;
    *head = i;
    set->n++;
}

/* Takes out what link leads to; the last one moves into its place. */
static void remove_at(struct pattern_set *set, uint16_t *link)
{
    uint16_t i = *link, last = (uint16_t)(set->n - 1);

    *link = set->next[i];
    if (i != last) {
        *find(set, set->pattern[last]) = i;
        set->pattern[i] = set->pattern[last];
        set->next[i] = set->next[last];
    }
    set->n--;
}

static void add(struct pattern_set *set, struct pattern p)
{
    uint64_t bits;

    set->addr_bits |= p.addr;
    bits = p.mask & set->addr_bits;
    while (bits) {
        uint64_t bit = bits & -bits;
        uint16_t *link = find(set, (struct pattern){ p.addr ^ bit, p.mask });

        bits ^= bit;
        if (*link != END) {
            remove_at(set, link);
            p.addr &= ~bit;
            p.mask ^= bit;
            bits = p.mask & set->addr_bits;
        }
    }
    if (*find(set, p) == END)
        insert(set, p);
}

void pattern_set_fill(struct pattern_set *set, const struct pattern *pattern, size_t n)
{
    clear(set);
    for (size_t i = 0; i < n; i++) /* in place it never overtakes itself: each adds at most one */
        add(set, pattern[i]);
}

/*
 * Regions are patterns in which most pages are bad, grown around bad pages. Where a column or a
 * bank fails in part, tens of thousands of bad pages cannot be merged without loss; a few regions,
 * that hold good pages as well, cover them all. They are useful when they are few and mostly bad.
 */
#define REGIONS_MAX        1024
#define REGIONS_SPARSENESS 16

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
        if (most.bad * sparseness < most.ram)
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

/*
 * Covers every bad page by regions. A region grows by one address bit at a time, the densest half
 * first, as long as at least 1 of sparseness RAM pages of that half is bad; large halves are judged
 * by samples, always the same ones. Returns the number of regions, or 0 when there are no bad pages
 * or max_regions are not enough.
 */
static size_t regions_grow(const struct fault_log *log, unsigned sparseness,
                           struct pattern *ret_region, size_t max_regions)
{
    const struct page_extent *last = &log->space->extent[log->space->n_extents - 1];
    struct bad_blocks blocks = { .log = log };
    uint64_t bits = PAGE_SIZE; /* that differ among RAM's addresses */
    struct pattern block;
    size_t n = 0;

    while (bits <= (page_run_end(last->run) - 1) << PAGE_SHIFT)
        bits <<= 1;
    bits = (bits - 1) & PATTERN_MASK_BITS;
    while (next_block(&blocks, &block)) {
        if (is_covered(ret_region, n, block))
            continue;
        if (n == max_regions)
            return 0;
        ret_region[n++] = grow(log, block, bits, sparseness);
    }
    return n;
}

static bool collect_exactly(const struct fault_log *log, struct pattern_set *set)
{
    struct bad_blocks blocks = { .log = log };
    struct pattern block;

    clear(set);
    while (next_block(&blocks, &block)) {
        if (set->n == PATTERN_SET_MAX)
            return false;
        add(set, block);
    }
    return true;
}

static bool collect_regions(const struct fault_log *log, struct pattern_set *set)
{
    for (unsigned sparseness = 2; sparseness <= REGIONS_SPARSENESS; sparseness *= 2) {
        size_t n = regions_grow(log, sparseness, set->pattern, REGIONS_MAX);

        if (n) {
            pattern_set_fill(set, set->pattern, n);
            return true;
        }
    }
    return false;
}

void collect_patterns(const struct fault_log *log, struct pattern_set *ret_set)
{
    if (!collect_exactly(log, ret_set) && !collect_regions(log, ret_set))
        pattern_set_fill(ret_set, ret_set->pattern,
                         collect_few_blocks(log, ret_set->pattern, PATTERN_SET_MAX));
}
