// SPDX-License-Identifier: MIT
#include "badram/few_blocks.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

struct solver {
    const struct page_index *space;
    const struct pattern *bad;
    size_t max_patterns;
    struct few_blocks_work *work;
};

/* The bad blocks from first up to end, and the smallest block that holds them. */
struct node {
    size_t first, end;
    struct pattern block;
};

static struct node node_of(const struct solver *s, size_t first, size_t end)
{
    return (struct node){ first, end, pattern_hull(pattern_join(s->bad[first], s->bad[end - 1])) };
}

/* The first bad block in the upper half: both halves hold some. */
static size_t middle_of(const struct solver *s, const struct node *node)
{
    uint64_t free = ~node->block.mask & PATTERN_MASK_BITS, bit = free & ~(free >> 1);
    size_t low = node->first + 1, high = node->end - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->bad[middle].addr & bit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t useful(const struct solver *s, size_t first, size_t end)
{
    return min_u64(end - first, s->max_patterns);
}

/* The fewest pages of k blocks, at least one of them in each half, and how many in the lower. */
static uint64_t divide(const uint64_t *lower, size_t n_lower, const uint64_t *upper, size_t n_upper,
                       size_t k, size_t *ret_lower)
{
    size_t i = k > n_upper ? k - n_upper : 1, last = min_u64(n_lower, k - 1);
    uint64_t least = UINT64_MAX;

    for (; i <= last; i++) {
        uint64_t pages = lower[i - 1] + upper[k - i - 1];

        if (pages < least) {
            least = pages;
            *ret_lower = i;
        }
    }
    return least;
}

/* Fills pages[] with those of 1 to useful() blocks. Keeps little on the stack: this nests. */
static void solve(const struct solver *s, size_t first, size_t end, uint64_t *pages)
{
    struct node node = node_of(s, first, end);
    size_t n = useful(s, first, end), middle, n_lower, n_upper, i;

    if (n > 1) {
        middle = middle_of(s, &node);
        n_lower = useful(s, first, middle);
        n_upper = useful(s, middle, end);
        solve(s, first, middle, pages);
        solve(s, middle, end, pages + n_lower);
        for (size_t k = 2; k <= n; k++)
            s->work->joined[k - 1] = divide(pages, n_lower, pages + n_lower, n_upper, k, &i);
        memcpy(pages + 1, s->work->joined + 1, (n - 1) * sizeof(pages[0]));
    }
    pages[0] = pattern_pages(node.block, s->space);
}

/* Lists the k blocks in a node that cover the fewest pages. */
static void list(const struct solver *s, size_t first, size_t end, size_t k,
                 struct pattern *ret_list)
{
    struct node node = node_of(s, first, end);
    uint64_t *pages = s->work->pages;
    size_t middle, n_lower, k_lower = 1;

    if (k == 1) {
        *ret_list = node.block;
        return;
    }
    if (k == end - first) { /* each is its own: no need to look on */
        memcpy(ret_list, &s->bad[first], k * sizeof(ret_list[0]));
        return;
    }
    middle = middle_of(s, &node);
    n_lower = useful(s, first, middle);
    solve(s, first, middle, pages);
    solve(s, middle, end, pages + n_lower);
    divide(pages, n_lower, pages + n_lower, useful(s, middle, end), k, &k_lower);
    list(s, first, middle, k_lower, ret_list);
    list(s, middle, end, k - k_lower, ret_list + k_lower);
}

size_t few_blocks(const struct page_index *space, const struct pattern *block, size_t n,
                  size_t max_patterns, struct few_blocks_work *work, struct pattern *ret_list)
{
    struct solver s = { space, block, min_u64(max_patterns, FEW_BLOCKS_MAX), work };
    size_t k = useful(&s, 0, n);

    ASSERT(n > 0 && n <= FEW_BLOCKS_BAD_MAX);
    list(&s, 0, n, k, ret_list);
    return k;
}
