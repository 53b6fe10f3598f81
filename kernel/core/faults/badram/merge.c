// SPDX-License-Identifier: MIT
#include "badram/merge.h"

#include "badram/pattern.h"
#include "lib/minmax.h"
#include "lib/panic.h"

#define NEVER INT64_MAX
#define STALE UINT32_MAX

/* A cap on counted ranges: no such pattern is useful. Keeps keys within 64 bits. */
#define RANGES_CAP (UINT64_C(1) << 22)

struct merge {
    struct pattern pattern;
    int64_t key;
};

static int64_t capped(uint64_t ranges)
{
    return (int64_t)min_u64(ranges, RANGES_CAP);
}

static void measure(struct merge_list *list, size_t i)
{
    struct merge_slot *slot = &list->slot[i];

    if (list->rule == MERGE_BY_COST)
        slot->cost = cost_of(&list->cost, list->pattern[i], NULL);
    else
        slot->size = pattern_measure(list->pattern[i], list->cost.space);
}

/* RAM pages that both cover, which a merge of them does not add. */
static int64_t shared_pages(const struct merge_list *list, size_t i, size_t j)
{
    if (i == j || !pattern_meets(list->pattern[i], list->pattern[j]))
        return 0;
    return (int64_t)pattern_pages(pattern_overlap(list->pattern[i], list->pattern[j]),
                                  list->cost.space);
}

/* Pages for each range that having p in place of i and j (or of i alone) saves. */
static int64_t key_per_range(const struct merge_list *list, struct pattern p, size_t i, size_t j)
{
    const struct pattern_size *a = &list->slot[i].size, *b = &list->slot[j].size;
    struct pattern_size size = pattern_measure(p, list->cost.space);
    int64_t pages = (int64_t)(size.pages - a->pages) + shared_pages(list, i, j);
    int64_t ranges = capped(size.ranges) - capped(a->ranges);

    if (i != j) {
        pages -= (int64_t)b->pages;
        ranges -= capped(b->ranges);
    }
    return ranges < 0 ? pages * 65536 / -ranges : NEVER;
}

/* The best way to merge i and j, also as a block, or to make i alone coarser by filling. */
static struct merge merge_per_range(const struct merge_list *list, size_t i, size_t j)
{
    struct pattern p =
        i == j ? pattern_fill(list->pattern[i]) : pattern_join(list->pattern[i], list->pattern[j]);
    struct merge best = { .pattern = p, .key = key_per_range(list, p, i, j) };
    struct pattern hull = pattern_hull(p);

    if (i != j && hull.mask != p.mask) {
        int64_t key = key_per_range(list, hull, i, j);

        if (key < best.key)
            best = (struct merge){ .pattern = hull, .key = key };
    }
    return best;
}

static struct merge merge_for_cost(const struct merge_list *list, size_t i, size_t j)
{
    const struct merge_slot *a = &list->slot[i], *b = &list->slot[j];
    struct merge merge = { .pattern = pattern_join(list->pattern[i], list->pattern[j]) };
    int64_t most = a->key > b->key ? a->key : b->key;

    merge.key = cost_bound(&list->cost, merge.pattern) - a->cost - b->cost;
    if (merge.key < most)
        merge.key = cost_of(&list->cost, merge.pattern, &merge.pattern) - a->cost - b->cost +
                    shared_pages(list, i, j);
    return merge;
}

/* The best merge of i and j. One no better than the current ones has only a bound as key. */
static struct merge merge_of(const struct merge_list *list, size_t i, size_t j)
{
    return list->rule == MERGE_BY_COST ? merge_for_cost(list, i, j) : merge_per_range(list, i, j);
}

static void offer(struct merge_list *list, size_t i, size_t partner, int64_t key)
{
    if (key < list->slot[i].key) {
        list->slot[i].key = key;
        list->slot[i].partner = (uint32_t)partner;
    }
}

/* Compares i with all others, and with itself where filling is a choice. */
static void refresh(struct merge_list *list, size_t i)
{
    list->slot[i].key = NEVER;
    list->slot[i].partner = (uint32_t)i;
    for (size_t j = 0; j < list->n; j++) {
        if (j != i || list->rule == MERGE_PER_RANGE) {
            int64_t key = merge_of(list, i, j).key;

            offer(list, i, j, key);
            if (j != i)
                offer(list, j, i, key);
        }
    }
}

static void set_rule(struct merge_list *list, enum merge_rule rule)
{
    list->rule = rule;
    for (size_t i = 0; i < list->n; i++) {
        measure(list, i);
        list->slot[i].key = NEVER;
        list->slot[i].partner = (uint32_t)i;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (rule == MERGE_PER_RANGE)
            offer(list, i, i, merge_of(list, i, i).key);
        for (size_t j = 0; j < i; j++) {
            int64_t key = merge_of(list, i, j).key;

            offer(list, i, j, key);
            offer(list, j, i, key);
        }
    }
}

/*
 * The slot with the cheapest merge, which is then up to date. A stale key is never above the true
 * one (a partner has gone, and each new pattern was offered), so a stale slot is refreshed only
 * when it seems to be the cheapest.
 */
static size_t cheapest(struct merge_list *list)
{
    for (;;) {
        size_t best = 0;

        for (size_t i = 1; i < list->n; i++) {
            if (list->slot[i].key < list->slot[best].key)
                best = i;
        }
        if (list->slot[best].partner != STALE || list->slot[best].key == NEVER)
            return best;
        refresh(list, best);
    }
}

/* Takes out slot i; the last one moves into its place. */
static void drop(struct merge_list *list, size_t i)
{
    size_t last = --list->n;

    for (size_t k = 0; k < list->n + 1; k++) {
        if (list->slot[k].partner == i)
            list->slot[k].partner = STALE;
        if (list->slot[k].partner == last)
            list->slot[k].partner = (uint32_t)i;
    }
    list->pattern[i] = list->pattern[last];
    list->slot[i] = list->slot[last];
}

/* Carries out the cheapest merge of slot i. What the new pattern contains is absorbed. */
static void apply(struct merge_list *list, size_t i)
{
    struct pattern p;

    list->slot[i].key = NEVER; /* force the exact value */
    p = merge_of(list, i, list->slot[i].partner).pattern;
    for (size_t k = list->n; k-- > 0;) {
        if (pattern_contains(p, list->pattern[k]))
            drop(list, k);
    }
    ASSERT(list->n < MERGE_MAX);
    i = list->n++;
    list->pattern[i] = p;
    measure(list, i);
    refresh(list, i);
}

void merge_load(struct merge_list *list, const struct page_index *space,
                const struct pattern *pattern, size_t n)
{
    ASSERT(n <= MERGE_MAX);
    list->cost = (struct cost_rule){ .space = space };
    list->n = 0;
    for (size_t i = 0; i < n; i++) {
        bool contained = false;

        /* Of equal ones the last stays. */
        for (size_t j = 0; j < n && !contained; j++)
            contained = j != i && pattern_contains(pattern[j], pattern[i]) &&
                        (j > i || !pattern_contains(pattern[i], pattern[j]));
        if (!contained)
            list->pattern[list->n++] = pattern[i];
    }
}

void merge_by_cost(struct merge_list *list, size_t max_patterns, uint64_t price)
{
    list->cost.price = price;
    set_rule(list, MERGE_BY_COST);
    while (list->n > 1) {
        size_t i = cheapest(list);

        if (list->n <= max_patterns && list->slot[i].key > 0)
            break;
        apply(list, i);
    }
}

/* Ranges of all patterns, those that touch counted separately. */
static uint64_t sum_ranges(const struct merge_list *list)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < list->n; i++)
        sum += (uint64_t)capped(list->slot[i].size.ranges);
    return sum;
}

void merge_ranges(struct merge_list *list, uint64_t max_ranges)
{
    uint64_t most = 2 * max_ranges, ranges, goal;

    ranges = cover_count_ranges(list->pattern, list->n, list->cost.space, most);
    if (ranges <= max_ranges)
        return;
    set_rule(list, MERGE_PER_RANGE);
    while (ranges > max_ranges) {
        /* The exact count is expensive: it is due again when the sum has fallen by the excess. */
        goal = sum_ranges(list) - (ranges - max_ranges);
        do {
            size_t i = cheapest(list);

            if (list->slot[i].key == NEVER)
                return;
            apply(list, i);
        } while (sum_ranges(list) > goal);
        ranges = cover_count_ranges(list->pattern, list->n, list->cost.space, most);
    }
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

size_t merge_neighbours(struct pattern *block, size_t n, size_t target,
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
