// SPDX-License-Identifier: MIT
#include "tests/bench/cover_published.h"

#include <stdbool.h>
#include <string.h>

static double size_of(struct pattern p)
{
    return (double)(UINT64_C(1) << __builtin_popcountll(~p.mask & PATTERN_MASK_BITS));
}

static bool is_covered(const struct pattern *list, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++)
        if (pattern_covers(list[i], addr))
            return true;
    return false;
}

/* The pattern with which joining p adds least to what the two cover. */
static size_t cheapest(const struct pattern *list, size_t n, struct pattern p, double *ret_cost)
{
    size_t best = 0;

    for (size_t i = 0; i < n; i++) {
        double cost = size_of(pattern_join(list[i], p)) - size_of(list[i]) - size_of(p);

        if (i == 0 || cost < *ret_cost) {
            *ret_cost = cost;
            best = i;
        }
    }
    return best;
}

size_t published_van_rein(const struct fault_log *log, struct pattern *list, size_t max_patterns)
{
    struct page_run run;
    size_t n = 0;

    for (uint64_t index = 0; fault_log_next_run(log, &index, &run);) {
        for (uint64_t page = run.first; page < page_run_end(run); page++) {
            struct pattern p = pattern_block(page, 0);
            double cost;

            if (is_covered(list, n, p.addr))
                continue;
            if (n == max_patterns) {
                size_t i = cheapest(list, n, p, &cost);

                p = pattern_join(list[i], p);
                list[i] = list[--n];
            }
            while (n) {
                size_t i = cheapest(list, n, p, &cost);

                if (cost > 0)
                    break;
                p = pattern_join(list[i], p);
                list[i] = list[--n];
            }
            list[n++] = p;
        }
    }
    return n;
}

static void remove_at(struct pattern *list, size_t *n, size_t i)
{
    memmove(list + i, list + i + 1, (--*n - i) * sizeof(*list));
}

static void join_cheapest_adjacent(struct pattern *list, size_t *n)
{
    double least = 0;
    size_t best = 0;

    for (size_t i = 0; i + 1 < *n; i++) {
        double cost = size_of(pattern_join(list[i], list[i + 1])) - size_of(list[i]);

        if (i == 0 || cost < least) {
            least = cost;
            best = i;
        }
    }
    list[best] = pattern_join(list[best], list[best + 1]);
    remove_at(list, n, best + 1);
}

static bool extends_single_page(struct pattern *list, size_t n, struct pattern p)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t differing = list[i].addr ^ p.addr;

        if (list[i].mask == p.mask && (differing & (differing - 1)) == 0) {
            list[i] = pattern_join(list[i], p);
            return true;
        }
    }
    return false;
}

size_t published_memtest86(const struct fault_log *log, struct pattern *list, size_t max_patterns)
{
    struct page_run run;
    size_t n = 0;

    for (uint64_t index = 0; fault_log_next_run(log, &index, &run);) {
        for (uint64_t page = run.first; page < page_run_end(run); page++) {
            struct pattern p = pattern_block(page, 0);
            size_t at = 0;

            if (is_covered(list, n, p.addr) || extends_single_page(list, n, p))
                continue;
            while (at < n && list[at].addr < p.addr)
                at++;
            memmove(list + at + 1, list + at, (n++ - at) * sizeof(*list));
            list[at] = p;
            if (n > max_patterns)
                join_cheapest_adjacent(list, &n);
        }
    }
    return n;
}
