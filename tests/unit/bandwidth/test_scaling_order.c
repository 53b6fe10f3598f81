// SPDX-License-Identifier: MIT
#include "bandwidth/scaling_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/splitmix.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CPUS_MAX 12

static const struct {
    uint32_t n_cpus;
    uint32_t node[CPUS_MAX], fill[CPUS_MAX], spread[CPUS_MAX];
} rows[] = {
    { 0, { 0 }, { 0 }, { 0 } },
    { 1, { 7 }, { 0 }, { 0 } },
    { 4, { 0, 0, 0, 0 }, { 0, 1, 2, 3 }, { 0, 1, 2, 3 } },
    { 4, { 0, 0, 1, 1 }, { 0, 1, 2, 3 }, { 0, 2, 1, 3 } },
    { 4, { 0, 1, 0, 1 }, { 0, 2, 1, 3 }, { 0, 1, 2, 3 } }, /* firmware that spreads by itself */
    { 6, { 1, 0, 1, 0, 1, 0 }, { 1, 3, 5, 0, 2, 4 }, { 1, 0, 3, 2, 5, 4 } },
    { 6, { 0, 1, 1, 1, 1, 2 }, { 0, 1, 2, 3, 4, 5 }, { 0, 1, 5, 2, 3, 4 } }, /* unequal nodes */
    { 5, { 9, 9, 4, 4, 4 }, { 2, 3, 4, 0, 1 }, { 2, 0, 3, 1, 4 } },          /* with gaps */
    { 3, { UINT32_MAX, 0, UINT32_MAX }, { 1, 0, 2 }, { 1, 0, 2 } },
    { 12,
      { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 },
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
      { 0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11 } },
};

static void test_make(void **state)
{
    for (size_t r = 0; r < COUNT(rows); r++) {
        uint32_t found[CPUS_MAX + 1];

        memset(found, 0xff, sizeof(found));
        scaling_order_make(SCALING_FILL, rows[r].node, rows[r].n_cpus, found);
        assert_memory_equal(found, rows[r].fill, rows[r].n_cpus * sizeof(found[0]));
        assert_int_equal(found[rows[r].n_cpus], UINT32_MAX);

        scaling_order_make(SCALING_SPREAD, rows[r].node, rows[r].n_cpus, found);
        assert_memory_equal(found, rows[r].spread, rows[r].n_cpus * sizeof(found[0]));
        assert_int_equal(found[rows[r].n_cpus], UINT32_MAX);
    }
}

/* Many CPUs on nodes by chance: each CPU comes once, and the orders keep what they promise. */
static void test_many(void **state)
{
    enum { CPUS = 1025, NODES = 8 };
    uint32_t node[CPUS], found[CPUS], count[NODES];
    bool seen[CPUS];
    uint64_t random = 1;

    for (uint32_t i = 0; i < CPUS; i++) {
        node[i] = (uint32_t)splitmix_below(&random, NODES);
    }
    for (enum scaling_order order = 0; order < SCALING_ORDERS; order++) {
        uint32_t node_before = 0, count_before = 0;

        memset(seen, 0, sizeof(seen));
        memset(count, 0, sizeof(count));
        scaling_order_make(order, node, CPUS, found);
        for (uint32_t i = 0; i < CPUS; i++) {
            uint32_t at = node[found[i]];

            assert_false(seen[found[i]]);
            seen[found[i]] = true;
            count[at]++;
            if (order == SCALING_FILL)
                assert_true(at >= node_before);
            else
                assert_true(count[at] > count_before ||
                            (count[at] == count_before && at > node_before));
            node_before = at;
            count_before = count[at];
        }
    }
}

/* The most CPUs: indices and ranks fill their bits. */
static void test_limit(void **state)
{
    uint32_t n = SCALING_CPUS_MAX;
    uint32_t *node = malloc(n * sizeof(*node)), *found = malloc(n * sizeof(*found));

    assert_true(node && found);
    for (uint32_t i = 0; i < n; i++)
        node[i] = i % 2;
    scaling_order_make(SCALING_FILL, node, n, found);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(found[i], i < n / 2 ? 2 * i : 2 * (i - n / 2) + 1);
    memset(node, 0, n * sizeof(*node));
    scaling_order_make(SCALING_SPREAD, node, n, found);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(found[i], i);
    free(node);
    free(found);
}

static void test_counts(void **state)
{
    static const struct {
        uint32_t n_cpus;
        size_t max, n;
        uint32_t threads[24];
    } tables[] = {
        { 1, 2, 1, { 1 } },
        { 2, 2, 2, { 1, 2 } },
        { 3, 16, 3, { 1, 2, 3 } },
        { 3, 2, 2, { 1, 3 } },
        { 15, 16, 15, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
        { 16, 16, 16, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
        { 16, 5, 5, { 1, 2, 3, 4, 16 } },
        { 17, 32, 17, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 } },
        { 20, 32, 17, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20 } },
        { 21, 32, 18, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21 } },
        { 64, 32, 24, { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                        13, 14, 15, 16, 20, 24, 28, 32, 40, 48, 56, 64 } },
    };

    for (size_t t = 0; t < COUNT(tables); t++) {
        uint32_t found[33];
        size_t n;

        memset(found, 0xff, sizeof(found));
        n = scaling_order_counts(tables[t].n_cpus, found, tables[t].max);
        assert_int_equal(n, tables[t].n);
        assert_memory_equal(found, tables[t].threads, n * sizeof(found[0]));
        assert_int_equal(found[n], UINT32_MAX);
    }
}

/* There is room for the largest number; counts grow, by a quarter at most. */
static void test_counts_of_many(void **state)
{
    static const uint32_t cpus[] = { 1025, 65536, UINT32_MAX };

    for (size_t c = 0; c < COUNT(cpus); c++) {
        uint32_t found[SCALING_COUNTS_MAX];
        size_t n = scaling_order_counts(cpus[c], found, SCALING_COUNTS_MAX);

        assert_int_equal(found[0], 1);
        assert_int_equal(found[n - 1], cpus[c]);
        for (size_t i = 1; i < n; i++) {
            assert_true(found[i] > found[i - 1]);
            if (found[i] > SCALING_EVERY_COUNT)
                assert_true(found[i] - found[i - 1] <= found[i - 1] / SCALING_STEPS_A_DOUBLING);
        }
    }
}

static void test_names(void **state)
{
    assert_string_equal(scaling_order_name(SCALING_FILL), "fill");
    assert_string_equal(scaling_order_name(SCALING_SPREAD), "spread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),           cmocka_unit_test(test_many),
        cmocka_unit_test(test_limit),          cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_of_many), cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
