// SPDX-License-Identifier: MIT
#include "badram/pattern.h"

#include "lib/bits.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/sort.h"

#define PAGE_BITS (PAGES_MAX - 1)

/* The mask of all bits up to and including the highest of x. */
static uint64_t fill_down(uint64_t x)
{
    return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

/* The bits of x that `which` selects, moved together: what PEXT does. */
static uint64_t gather_bits(uint64_t x, uint64_t which)
{
    uint64_t out = 0;

    for (unsigned n = 0; which;) {
        unsigned shift = (unsigned)__builtin_ctzll(which);
        unsigned length = (unsigned)__builtin_ctzll(~(which >> shift));
        uint64_t group = (UINT64_C(1) << length) - 1;

        out |= (x >> shift & group) << n;
        n += length;
        which &= ~(group << shift);
    }
    return out;
}

/*
 * How many numbers below end agree with addr in the bits that are not free. Let h be the highest
 * bit where end itself disagrees: above it the free bits of such a number may count up to those of
 * end, below it they are arbitrary.
 */
static uint64_t count_below(uint64_t addr, uint64_t free, uint64_t end)
{
    uint64_t differing, low;

    if (end <= addr)
        return 0;
    if (end > (addr | free))
        return UINT64_C(1) << bits_count(free);
    differing = (end ^ addr) & ~free;
    low = fill_down(differing);
    return (gather_bits(end, free & ~low) + ((end & low) > (addr & low) && differing))
           << bits_count(free & low);
}

bool pattern_list_covers(const struct pattern *list, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++) {
        if (pattern_covers(list[i], addr))
            return true;
    }
    return false;
}

struct pattern pattern_block(uint64_t first_page, unsigned order)
{
    uint64_t mask = PATTERN_MASK_BITS & ~((PAGE_SIZE << order) - 1);

    return (struct pattern){ .addr = first_page << PAGE_SHIFT & mask, .mask = mask };
}

/* p with more bits free. */
static struct pattern with_free(struct pattern p, uint64_t free)
{
    return (struct pattern){ .addr = p.addr & ~free, .mask = p.mask & ~free };
}

struct pattern pattern_hull(struct pattern p)
{
    return with_free(p, fill_down(~p.mask & PATTERN_MASK_BITS));
}

struct pattern pattern_fill(struct pattern p)
{
    uint64_t in_block = p.mask ? (p.mask & -p.mask) - 1 : UINT64_MAX;
    uint64_t above = ~p.mask & PATTERN_MASK_BITS & ~in_block;

    return above ? with_free(p, (above & -above) - 1) : p;
}

/*
 * A pattern is a set of blocks of one size that never touch, because the bit above the block is
 * fixed. Pages and blocks are both counted by count_below(), for blocks in units of their size.
 */
struct pattern_size pattern_measure(struct pattern p, const struct page_index *space)
{
    uint64_t addr = p.addr >> PAGE_SHIFT, mask = p.mask >> PAGE_SHIFT, free = ~mask & PAGE_BITS;
    unsigned order = mask ? (unsigned)__builtin_ctzll(mask) : 40;
    uint64_t block = UINT64_C(1) << order;
    struct pattern_size size = { 0 };

    for (size_t i = page_index_extent(space, addr); i < space->n_extents; i++) {
        uint64_t first = space->extent[i].run.first, end = page_run_end(space->extent[i].run);

        if (first > (addr | free))
            break;
        if (first <= addr && (addr | free) < end) {
            size.pages = UINT64_C(1) << bits_count(free);
            size.ranges = size.pages >> order;
            break;
        }
        size.pages += count_below(addr, free, end) - count_below(addr, free, first);
        size.ranges += count_below(addr >> order, free >> order, (end + block - 1) >> order) -
                       count_below(addr >> order, free >> order, first >> order);
    }
    return size;
}

uint64_t pattern_pages(struct pattern p, const struct page_index *space)
{
    uint64_t addr = p.addr >> PAGE_SHIFT, free = ~(p.mask >> PAGE_SHIFT) & PAGE_BITS, pages = 0;

    for (size_t i = page_index_extent(space, addr); i < space->n_extents; i++) {
        if (space->extent[i].run.first > (addr | free))
            break;
        pages += count_below(addr, free, page_run_end(space->extent[i].run)) -
                 count_below(addr, free, space->extent[i].run.first);
    }
    return pages;
}

uint64_t pattern_next_page(struct pattern p, uint64_t page)
{
    uint64_t addr = p.addr >> PAGE_SHIFT, mask = p.mask >> PAGE_SHIFT;
    uint64_t differing = (page ^ addr) & mask, low = fill_down(differing), next;

    if (page >= PAGES_MAX)
        return PAGES_MAX;
    if (!differing)
        return page;
    if ((page & low) < (addr & low))
        return (page & ~low) | (addr & low);
    /* Count the free bits above up by one: the fixed ones, set to 1, pass the carry on. */
    next = (page | mask | low) + 1;
    return next >= PAGES_MAX ? PAGES_MAX : (next & ~mask) | addr;
}

static bool sorts_before(const void *ctx, const void *a, const void *b)
{
    const struct pattern *p = a, *q = b;

    return p->addr != q->addr ? p->addr < q->addr : p->mask < q->mask;
}

void pattern_sort(struct pattern *pattern, size_t n)
{
    sort(pattern, n, sizeof(*pattern), sorts_before, NULL);
}

/*
 * Takes one pattern q that meets p out of p: for each bit that q fixes and p leaves free, the half
 * of p that differs from q there is outside q, and the search goes on in the other half. Each
 * level fixes a bit more.
 */
uint64_t cover_count_new(struct pattern p, const struct pattern *list, size_t n,
                         const struct page_index *space)
{
    uint64_t pages = 0;
    struct pattern q;

    while (n && !pattern_meets(p, list[n - 1]))
        n--;
    if (n == 0)
        return pattern_pages(p, space);
    q = list[--n];
    for (uint64_t left = q.mask & ~p.mask; left; left &= left - 1) {
        uint64_t bit = left & -left;

        p.mask |= bit;
        p.addr |= ~q.addr & bit;
        pages += cover_count_new(p, list, n, space);
        p.addr ^= bit;
    }
    return pages;
}

uint64_t cover_count_pages(const struct pattern *list, size_t n, const struct page_index *space)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < n; i++)
        pages += cover_count_new(list[i], list, i, space);
    return pages;
}

static uint64_t next_covered(const struct pattern *list, size_t n, uint64_t page)
{
    uint64_t next = PAGES_MAX;

    for (size_t i = 0; i < n && next != page; i++) {
        uint64_t candidate = pattern_next_page(list[i], page);

        if (candidate < next)
            next = candidate;
    }
    return next;
}

/* The end of the largest block at page that one pattern covers; page itself when none covers it. */
static uint64_t block_end(const struct pattern *list, size_t n, uint64_t page)
{
    uint64_t end = page;

    for (size_t i = 0; i < n; i++) {
        uint64_t in_block = list[i].mask ? (list[i].mask & -list[i].mask) - 1 : UINT64_MAX;
        uint64_t last = (page << PAGE_SHIFT | in_block) >> PAGE_SHIFT;

        if (last >= end && pattern_covers(list[i], page << PAGE_SHIFT))
            end = last + 1;
    }
    return end;
}

uint64_t cover_count_ranges(const struct pattern *list, size_t n, const struct page_index *space,
                            uint64_t limit)
{
    uint64_t steps = 65536 + 4 * min_u64(limit, UINT32_MAX);
    uint64_t ranges = 0, page = 0;

    for (size_t i = 0; i < space->n_extents;) {
        uint64_t first = space->extent[i].run.first, end = page_run_end(space->extent[i].run), next;

        page = next_covered(list, n, max_u64(page, first));
        if (page >= end) {
            i = page_index_extent(space, page);
            continue;
        }
        if (++ranges > limit)
            break;
        while (page < end && (next = block_end(list, n, page)) != page) {
            page = min_u64(next, end);
            if (--steps == 0)
                return limit + 1;
        }
    }
    return ranges;
}

/* A cap on counted ranges: no such pattern is useful. Keeps costs within 64 bits. */
#define RANGES_CAP (UINT64_C(1) << 22)

/* As if all that p covers were RAM: good enough to choose by, and quick. */
static double estimate(const struct cost_rule *rule, struct pattern p)
{
    uint64_t free = ~p.mask & PATTERN_MASK_BITS, in_block = (p.mask & -p.mask) - 1;
    double pages = (double)(UINT64_C(1) << bits_count(free));
    double ranges = (double)(UINT64_C(1) << bits_count(free & ~in_block));

    return pages + ranges * (double)rule->price;
}

static struct pattern fill(const struct cost_rule *rule, struct pattern p)
{
    struct pattern best = p;
    double least = estimate(rule, p);

    for (;;) {
        struct pattern filled = pattern_fill(p);
        double cost;

        if (filled.mask == p.mask)
            return best;
        p = filled;
        cost = estimate(rule, p);
        if (cost < least) {
            least = cost;
            best = p;
        }
    }
}

int64_t cost_of(const struct cost_rule *rule, struct pattern p, struct pattern *ret_filled)
{
    struct pattern_size size;

    if (rule->price == 0) {
        size = (struct pattern_size){ .pages = pattern_pages(p, rule->space) };
    } else {
        p = fill(rule, p);
        size = pattern_measure(p, rule->space);
        if (size.ranges > RANGES_CAP)
            size.ranges = RANGES_CAP;
    }
    if (ret_filled)
        *ret_filled = p;
    return (int64_t)(size.pages + size.ranges * rule->price);
}

int64_t cost_bound(const struct cost_rule *rule, struct pattern p)
{
    return (int64_t)((UINT64_C(1) << bits_count(~p.mask & PATTERN_MASK_BITS)) / 4 + rule->price);
}

#define SET_END UINT16_MAX

_Static_assert(PATTERN_SET_MAX <= SET_END, "places are 16-bit numbers");

static void set_clear(struct pattern_set *set)
{
    set->n = 0;
    set->addr_bits = 0;
    for (size_t i = 0; i < PATTERN_SET_BUCKETS; i++)
        set->head[i] = SET_END;
}

/* Where the chain that p belongs to begins: Fibonacci hashing. */
static uint16_t *chain_of(struct pattern_set *set, struct pattern p)
{
    uint64_t hash = (p.addr ^ p.mask << 7) * UINT64_C(0x9e3779b97f4a7c15);

    return &set->head[(hash >> 32) % PATTERN_SET_BUCKETS];
}

/* The link that leads to p; one that holds SET_END when p is not in the set. */
static uint16_t *set_find(struct pattern_set *set, struct pattern p)
{
    uint16_t *link = chain_of(set, p);

    while (*link != SET_END &&
           (set->pattern[*link].addr != p.addr || set->pattern[*link].mask != p.mask))
        link = &set->next[*link];
    return link;
}

static void set_insert(struct pattern_set *set, struct pattern p)
{
    uint16_t *head = chain_of(set, p), i = (uint16_t)set->n;

    ASSERT(set->n < PATTERN_SET_MAX);
    set->pattern[i] = p;
    set->next[i] = *head;
    *head = i;
    set->n++;
}

/* Takes out what link leads to; the last one moves into its place. */
static void set_remove(struct pattern_set *set, uint16_t *link)
{
    uint16_t i = *link, last = (uint16_t)(set->n - 1);

    *link = set->next[i];
    if (i != last) {
        *set_find(set, set->pattern[last]) = i;
        set->pattern[i] = set->pattern[last];
        set->next[i] = set->next[last];
    }
    set->n--;
}

void pattern_set_add(struct pattern_set *set, struct pattern p)
{
    uint64_t bits;

    set->addr_bits |= p.addr;
    bits = p.mask & set->addr_bits;
    while (bits) {
        uint64_t bit = bits & -bits;
        uint16_t *link = set_find(set, (struct pattern){ p.addr ^ bit, p.mask });

        bits ^= bit;
        if (*link != SET_END) {
            set_remove(set, link);
            p.addr &= ~bit;
            p.mask ^= bit;
            bits = p.mask & set->addr_bits;
        }
    }
    if (*set_find(set, p) == SET_END)
        set_insert(set, p);
}

void pattern_set_fill(struct pattern_set *set, const struct pattern *pattern, size_t n)
{
    set_clear(set);
    for (size_t i = 0; i < n; i++) /* in place it never overtakes itself: each adds at most one */
        pattern_set_add(set, pattern[i]);
}
