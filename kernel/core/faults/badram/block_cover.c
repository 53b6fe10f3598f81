// SPDX-License-Identifier: MIT
#include "badram/block_cover.h"

#include <stdbool.h>

/* 2^40 pages of a price of 2^20 each still fit. */
#define IMPOSSIBLE INT64_MAX / 4

/* Prices: 0, and fractions of powers of 2 up to 2^30 pages. */
#define PRICE_STEPS     120
#define STEPS_PER_POWER 4

/* Memory as a tree: a block, and which of the bad blocks it holds. */
struct node {
    struct pattern block;
    size_t first, end;
};

struct solver {
    const struct page_index *space;
    const struct pattern *bad;
    struct block_cover_work *work;
    int64_t pattern_price, range_price;
};

static const struct block_choices none = { { { { IMPOSSIBLE, 0, 0 }, { IMPOSSIBLE, 0, 0 } },
                                             { { IMPOSSIBLE, 0, 0 }, { IMPOSSIBLE, 0, 0 } } } };

static uint64_t last_addr(struct pattern block)
{
    return block.addr | (~block.mask & PATTERN_MASK_BITS);
}

static bool is_ram(const struct solver *s, uint64_t addr)
{
    uint64_t index;

    return page_index_index(s->space, addr >> PAGE_SHIFT, &index) == STATUS_OK;
}

static void offer(struct block_choice *best, struct block_choice c)
{
    if (c.cost < best->cost)
        *best = c;
}

/* The choice of the whole node as one pattern. */
static void offer_whole(const struct solver *s, const struct node *node, struct block_choices *best)
{
    struct pattern_size size = pattern_measure(node->block, s->space);
    struct block_choice whole = { .patterns = 1, .ranges = (uint32_t)size.ranges };

    whole.cost = (int64_t)size.pages + s->pattern_price + (int64_t)size.ranges * s->range_price;
    if (size.pages)
        offer(&best->of[is_ram(s, node->block.addr)][is_ram(s, last_addr(node->block))], whole);
}

/* The half of a node in which the highest free bit has this value. */
static struct node half_of(const struct solver *s, const struct node *node, bool upper)
{
    uint64_t bit = (last_addr(node->block) - node->block.addr + PAGE_SIZE) / 2;
    size_t low = node->first, high = node->end;

    while (low < high) { /* the first bad block in the upper half */
        size_t middle = low + (high - low) / 2;

        if (s->bad[middle].addr & bit)
            high = middle;
        else
            low = middle + 1;
    }
    return (struct node){
        .block = { node->block.addr | (upper ? bit : 0), node->block.mask | bit },
        .first = upper ? low : node->first,
        .end = upper ? node->end : low,
    };
}

/* A choice for each half together: where they touch, two ranges are one. */
static struct block_choice both(const struct solver *s, const struct block_choices *lower,
                                unsigned i, const struct block_choices *upper, unsigned k)
{
    struct block_choice a = lower->of[i >> 1][i & 1], b = upper->of[k >> 1][k & 1];
    bool touch = i & 1 && k >> 1;

    return (struct block_choice){
        .cost = a.cost + b.cost - (touch ? s->range_price : 0),
        .patterns = a.patterns + b.patterns,
        .ranges = a.ranges + b.ranges - touch,
    };
}

static bool is_leaf(const struct solver *s, const struct node *node)
{
    return node->first == node->end || pattern_contains(s->bad[node->first], node->block);
}

/* Keeps little on the stack, because this nests deeply. */
static void solve(const struct solver *s, const struct node *node, unsigned level,
                  struct block_choices *ret_best);

static void solve_halves(const struct solver *s, const struct node *node, unsigned level)
{
    struct node half = half_of(s, node, false);

    solve(s, &half, level + 1, &s->work->lower[level]);
    half = half_of(s, node, true);
    solve(s, &half, level + 1, &s->work->upper[level]);
}

static void solve(const struct solver *s, const struct node *node, unsigned level,
                  struct block_choices *ret_best)
{
    *ret_best = none;
    if (node->first == node->end)
        ret_best->of[0][0] = (struct block_choice){ 0 };
    offer_whole(s, node, ret_best);
    if (is_leaf(s, node))
        return;
    solve_halves(s, node, level);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            offer(&ret_best->of[i >> 1][k & 1],
                  both(s, &s->work->lower[level], i, &s->work->upper[level], k));
}

/*
 * How the halves of a node divide its best choice for the given ends, as both() numbers it: 4 times
 * the lower one's ends, and the upper one's. WHOLE: the node is one pattern.
 */
#define WHOLE 16

static unsigned division_of(const struct solver *s, const struct node *node, unsigned left,
                            unsigned right)
{
    struct block_choices best = none;
    unsigned division = WHOLE;

    offer_whole(s, node, &best);
    if (is_leaf(s, node))
        return division;
    solve_halves(s, node, 0);
    for (unsigned i = 0; i < 16; i++) {
        struct block_choice c = both(s, &s->work->lower[0], i / 4, &s->work->upper[0], i % 4);

        if (i >> 3 == left && (i & 1) == right && c.cost < best.of[left][right].cost) {
            best.of[left][right] = c;
            division = i;
        }
    }
    return division;
}

/* Lists the patterns of the best choice for the given ends. */
static void list_choice(const struct solver *s, const struct node *node, unsigned left,
                        unsigned right, struct pattern *list, size_t *n)
{
    unsigned division;
    struct node half;

    if (node->first == node->end && !left && !right)
        return;
    division = division_of(s, node, left, right);
    if (division == WHOLE) {
        list[(*n)++] = node->block;
        return;
    }
    half = half_of(s, node, false);
    list_choice(s, &half, division >> 3, division >> 2 & 1, list, n);
    half = half_of(s, node, true);
    list_choice(s, &half, division >> 1 & 1, division & 1, list, n);
}

static int64_t price_at(unsigned step)
{
    unsigned power = step / STEPS_PER_POWER, part = step % STEPS_PER_POWER;

    return step ? (int64_t)((STEPS_PER_POWER + part) << power) / STEPS_PER_POWER : 0;
}

/* The best choice of all ends. */
static struct block_choice best_of(const struct block_choices *choices, unsigned *ret_left,
                                   unsigned *ret_right)
{
    struct block_choice best = { .cost = IMPOSSIBLE };

    for (unsigned i = 0; i < 4; i++) {
        if (choices->of[i >> 1][i & 1].cost < best.cost) {
            best = choices->of[i >> 1][i & 1];
            *ret_left = i >> 1;
            *ret_right = i & 1;
        }
    }
    return best;
}

static struct block_choice solve_at(struct solver *s, const struct node *root,
                                    unsigned pattern_step, unsigned range_step, unsigned *ret_left,
                                    unsigned *ret_right)
{
    struct block_choices choices;

    s->pattern_price = price_at(pattern_step);
    s->range_price = price_at(range_step);
    solve(s, root, 0, &choices);
    return best_of(&choices, ret_left, ret_right);
}

/* The best choice at a price of ranges, and the least price of patterns that makes them few. */
static struct block_choice solve_for_patterns(struct solver *s, const struct node *root,
                                              unsigned range_step, size_t max_patterns,
                                              unsigned *ret_left, unsigned *ret_right)
{
    unsigned low = 0, high = PRICE_STEPS;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        struct block_choice choice = solve_at(s, root, middle, range_step, ret_left, ret_right);

        if (choice.patterns <= max_patterns)
            high = middle;
        else
            low = middle + 1;
    }
    return solve_at(s, root, low, range_step, ret_left, ret_right);
}

size_t block_cover(const struct page_index *space, const struct pattern *block, size_t n,
                   size_t max_patterns, uint64_t max_ranges, struct block_cover_work *work,
                   struct pattern *ret_list)
{
    struct solver s = { .space = space, .bad = block, .work = work };
    struct node root = { pattern_hull(pattern_join(block[0], block[n - 1])), 0, n };
    unsigned low = 0, high = PRICE_STEPS, left = 0, right = 0;
    struct block_choice choice;
    size_t n_list = 0;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        choice = solve_for_patterns(&s, &root, middle, max_patterns, &left, &right);
        if (choice.ranges <= max_ranges)
            high = middle;
        else
            low = middle + 1;
    }
    choice = solve_for_patterns(&s, &root, low, max_patterns, &left, &right);
    if (choice.patterns > max_patterns)
        return 0;
    list_choice(&s, &root, left, right, ret_list, &n_list);
    return n_list;
}
