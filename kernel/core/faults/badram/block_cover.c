// SPDX-License-Identifier: MIT
#include "badram/block_cover.h"

#include <stdbool.h>

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

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
    const struct bad_blocks *bad;
    struct block_cover_work *work;
    int64_t pattern_price, range_price;
};

/* Whether a node's first page is in a range, and its last. */
struct ends {
    unsigned left, right;
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

    return page_index_index(s->bad->space, addr >> PAGE_SHIFT, &index) == STATUS_OK;
}

static void offer(struct block_choice *best, struct block_choice c)
{
    if (c.cost < best->cost)
        *best = c;
}

/* The choice of the whole node as one pattern. */
static void offer_whole(const struct solver *s, const struct node *node, struct block_choices *best)
{
    struct pattern_size size = pattern_measure(node->block, s->bad->space);
    struct block_choice whole = { .patterns = 1, .ranges = (uint32_t)size.ranges };

    whole.cost = (int64_t)size.pages + s->pattern_price + (int64_t)size.ranges * s->range_price;
    if (size.pages)
        offer(&best->of[is_ram(s, node->block.addr)][is_ram(s, last_addr(node->block))], whole);
}

/* The first block from low up to high that has the bit, or high: those with it are the last ones.
 */
static size_t first_with(const struct pattern *bad, uint64_t bit, size_t low, size_t high)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (bad[middle].addr & bit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The half of a node in which the highest free bit has this value. */
static struct node half_of(const struct solver *s, const struct node *node, bool upper)
{
    uint64_t bit = (last_addr(node->block) - node->block.addr + PAGE_SIZE) / 2;
    size_t middle = first_with(s->bad->block, bit, node->first, node->end);

    return (struct node){
        .block = { node->block.addr | (upper ? bit : 0), node->block.mask | bit },
        .first = upper ? middle : node->first,
        .end = upper ? node->end : middle,
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
    return node->first == node->end || pattern_contains(s->bad->block[node->first], node->block);
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

static unsigned division_of(const struct solver *s, const struct node *node, struct ends ends)
{
    struct block_choices best = none;
    unsigned division = WHOLE;

    offer_whole(s, node, &best);
    if (is_leaf(s, node))
        return division;
    solve_halves(s, node, 0);
    for (unsigned i = 0; i < 16; i++) {
        struct block_choice c = both(s, &s->work->lower[0], i / 4, &s->work->upper[0], i % 4);

        if (i >> 3 == ends.left && (i & 1) == ends.right &&
            c.cost < best.of[ends.left][ends.right].cost) {
            best.of[ends.left][ends.right] = c;
            division = i;
        }
    }
    return division;
}

/* Lists the patterns of the best choice for the given ends. */
static void list_choice(const struct solver *s, const struct node *node, struct ends ends,
                        struct pattern *list, size_t *n)
{
    unsigned division;
    struct node half;

    if (node->first == node->end && !ends.left && !ends.right)
        return;
    division = division_of(s, node, ends);
    if (division == WHOLE) {
        list[(*n)++] = node->block;
        return;
    }
    half = half_of(s, node, false);
    list_choice(s, &half, (struct ends){ division >> 3, division >> 2 & 1 }, list, n);
    half = half_of(s, node, true);
    list_choice(s, &half, (struct ends){ division >> 1 & 1, division & 1 }, list, n);
}

static int64_t price_at(unsigned step)
{
    unsigned power = step / STEPS_PER_POWER, part = step % STEPS_PER_POWER;

    return step ? (int64_t)((STEPS_PER_POWER + part) << power) / STEPS_PER_POWER : 0;
}

/* The best choice of all ends. */
static struct block_choice best_of(const struct block_choices *choices, struct ends *ret_ends)
{
    struct block_choice best = { .cost = IMPOSSIBLE };

    for (unsigned i = 0; i < 4; i++) {
        if (choices->of[i >> 1][i & 1].cost < best.cost) {
            best = choices->of[i >> 1][i & 1];
            *ret_ends = (struct ends){ i >> 1, i & 1 };
        }
    }
    return best;
}

static struct block_choice solve_at(struct solver *s, const struct node *root,
                                    unsigned pattern_step, unsigned range_step,
                                    struct ends *ret_ends)
{
    struct block_choices choices;

    s->pattern_price = price_at(pattern_step);
    s->range_price = price_at(range_step);
    solve(s, root, 0, &choices);
    return best_of(&choices, ret_ends);
}

/* The best choice at a price of ranges, and the least price of patterns that makes them few. */
static struct block_choice solve_for_patterns(struct solver *s, const struct node *root,
                                              unsigned range_step, size_t max_patterns,
                                              struct ends *ret_ends)
{
    unsigned low = 0, high = PRICE_STEPS;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        struct block_choice choice = solve_at(s, root, middle, range_step, ret_ends);

        if (choice.patterns <= max_patterns)
            high = middle;
        else
            low = middle + 1;
    }
    return solve_at(s, root, low, range_step, ret_ends);
}

size_t block_cover(const struct bad_blocks *bad, size_t max_patterns, uint64_t max_ranges,
                   struct block_cover_work *work, struct pattern *ret_list)
{
    struct solver s = { .bad = bad, .work = work };
    struct node root = { pattern_hull(pattern_join(bad->block[0], bad->block[bad->n - 1])), 0,
                         bad->n };
    unsigned low = 0, high = PRICE_STEPS;
    struct block_choice choice;
    struct ends ends = { 0, 0 };
    size_t n_list = 0;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        choice = solve_for_patterns(&s, &root, middle, max_patterns, &ends);
        if (choice.ranges <= max_ranges)
            high = middle;
        else
            low = middle + 1;
    }
    choice = solve_for_patterns(&s, &root, low, max_patterns, &ends);
    if (choice.patterns > max_patterns)
        return 0;
    list_choice(&s, &root, ends, ret_list, &n_list);
    return n_list;
}

struct few {
    const struct bad_blocks *bad;
    size_t max_patterns;
    struct few_blocks_work *work;
};

/* The bad blocks from first up to end, and the smallest block that holds them. */
struct few_node {
    size_t first, end;
    struct pattern block;
};

static struct few_node node_of(const struct few *s, size_t first, size_t end)
{
    return (struct few_node){
        first, end, pattern_hull(pattern_join(s->bad->block[first], s->bad->block[end - 1]))
    };
}

/* The first bad block in the upper half: both halves hold some. */
static size_t middle_of(const struct few *s, const struct few_node *node)
{
    uint64_t free = ~node->block.mask & PATTERN_MASK_BITS;

    return first_with(s->bad->block, free & ~(free >> 1), node->first + 1, node->end - 1);
}

static size_t useful(const struct few *s, size_t first, size_t end)
{
    return min_u64(end - first, s->max_patterns);
}

/*
 * The fewest pages of k blocks, at least one of them in each half, and how many in the lower.
 * pages: those of 1 to n_lower blocks there, then those of 1 to n_upper.
 */
static uint64_t divide(const uint64_t *pages, size_t n_lower, size_t n_upper, size_t k,
                       size_t *ret_lower)
{
    size_t i = k > n_upper ? k - n_upper : 1, last = min_u64(n_lower, k - 1);
    uint64_t least = UINT64_MAX;

    for (; i <= last; i++) {
        uint64_t both_halves = pages[i - 1] + pages[n_lower + k - i - 1];

        if (both_halves < least) {
            least = both_halves;
            *ret_lower = i;
        }
    }
    return least;
}

/* Fills pages[] with those of 1 to useful() blocks. Keeps little on the stack: this nests. */
static void solve_few(const struct few *s, size_t first, size_t end, uint64_t *pages)
{
    struct few_node node = node_of(s, first, end);
    size_t n = useful(s, first, end), middle, n_lower, n_upper, i;

    if (n > 1) {
        middle = middle_of(s, &node);
        n_lower = useful(s, first, middle);
        n_upper = useful(s, middle, end);
        solve_few(s, first, middle, pages);
        solve_few(s, middle, end, pages + n_lower);
        for (size_t k = 2; k <= n; k++)
            s->work->joined[k - 1] = divide(pages, n_lower, n_upper, k, &i);
        memcpy(pages + 1, s->work->joined + 1, (n - 1) * sizeof(pages[0]));
    }
    pages[0] = pattern_pages(node.block, s->bad->space);
}

/* Lists the k blocks in a node that cover the fewest pages. */
static void list_few(const struct few *s, size_t first, size_t end, size_t k,
                     struct pattern *ret_list)
{
    struct few_node node = node_of(s, first, end);
    uint64_t *pages = s->work->pages;
    size_t middle, n_lower, k_lower = 1;

    if (k == 1) {
        *ret_list = node.block;
        return;
    }
    if (k == end - first) { /* each is its own: no need to look on */
        memcpy(ret_list, &s->bad->block[first], k * sizeof(ret_list[0]));
        return;
    }
    middle = middle_of(s, &node);
    n_lower = useful(s, first, middle);
    solve_few(s, first, middle, pages);
    solve_few(s, middle, end, pages + n_lower);
    divide(pages, n_lower, useful(s, middle, end), k, &k_lower);
    list_few(s, first, middle, k_lower, ret_list);
    list_few(s, middle, end, k - k_lower, ret_list + k_lower);
}

size_t few_blocks(const struct bad_blocks *bad, size_t max_patterns, struct few_blocks_work *work,
                  struct pattern *ret_list)
{
    struct few s = { bad, min_u64(max_patterns, FEW_BLOCKS_MAX), work };
    size_t k = useful(&s, 0, bad->n);

    ASSERT(bad->n > 0 && bad->n <= FEW_BLOCKS_BAD_MAX);
    list_few(&s, 0, bad->n, k, ret_list);
    return k;
}
