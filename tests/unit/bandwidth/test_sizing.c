// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      (UINT64_C(1) << 20)
#define TIB      (UINT64_C(1) << 40)

TEST(test_array_bytes)
{
    static const struct {
        uint64_t cache, available;
        uint32_t n_arrays;
        uint64_t bytes;
    } rows[] = {
        { 260 * MIB, 8192 * MIB, 3, 1040 * MIB },
        { 260 * MIB, 3120 * MIB, 3, 1040 * MIB },          /* just enough */
        { 260 * MIB, 3120 * MIB - 1, 3, 1040 * MIB - 64 }, /* a byte short */
        { 260 * MIB, 300 * MIB, 3, 100 * MIB },            /* less than the caches */
        { 32 * MIB, 1024 * MIB, 1, 128 * MIB },
        { 16 * MIB, 1024 * MIB, 1, 64 * MIB },
        { 16 * MIB - 64, 1024 * MIB, 1, 64 * MIB }, /* the least */
        { 16 * MIB + 64, 1024 * MIB, 1, 64 * MIB + 256 },
        { 16 * MIB + 1, 1024 * MIB, 1, 64 * MIB + 64 }, /* up to a line */
        { 0, 1024 * MIB, 1, 64 * MIB },                 /* unknown caches */
        { 0, 1024 * MIB, 32, 32 * MIB },
        { 1, 63, 1, 0 },
        { 1, 64, 1, 64 },
        { 1, 127, 2, 0 },
        { 1, 191, 2, 64 },
        { 0, 0, 1, 0 },
        { 512 * MIB, 64 * TIB, 3, 2048 * MIB },
        { UINT64_MAX, 64 * TIB, 1, 64 * TIB },
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_int_equal(sizing_array_bytes(rows[r].cache, rows[r].available, rows[r].n_arrays),
                         rows[r].bytes);
}

/* Parts follow each other without a gap, are nearly equal, and end where the array ends. */
TEST(test_parts)
{
    static const uint64_t lines[] = { 0, 1, 2, 3, 7, 8, 9, 255, 1000003, 64 * TIB / 64 };
    static const uint32_t n_cpus[] = { 1, 2, 3, 7, 8, 192, 4096 };

    for (size_t l = 0; l < COUNT(lines); l++)
        for (size_t n = 0; n < COUNT(n_cpus); n++) {
            uint64_t at = 0;

            for (uint32_t cpu = 0; cpu < n_cpus[n]; cpu++) {
                struct sizing_part p = sizing_part(lines[l] * 64, n_cpus[n], cpu);

                assert_int_equal(p.offset, at);
                assert_int_equal(p.bytes % 64, 0);
                assert_in_range(p.bytes / 64, lines[l] / n_cpus[n],
                                (lines[l] + n_cpus[n] - 1) / n_cpus[n]);
                at += p.bytes;
            }
            assert_int_equal(at, lines[l] * 64);
        }
}

TEST(test_iterations)
{
    static const struct {
        uint64_t first, target;
        uint32_t n;
    } rows[] = {
        { 100, 1000, 10 },
        { 100, 1050, 10 },
        { 100, 1051, 11 },
        { 100, 100, 1 },
        { 100, 99, 1 },
        { 100, 0, 1 },
        { 3, 10, 3 },
        { 3, 11, 4 },
        { 1, SIZING_ITERATIONS_MAX - 1, SIZING_ITERATIONS_MAX - 1 },
        { 1, SIZING_ITERATIONS_MAX + 1, SIZING_ITERATIONS_MAX },
        { 1, UINT64_MAX, SIZING_ITERATIONS_MAX },
        { 0, 1000, SIZING_ITERATIONS_MAX }, /* too short for the clock */
        { UINT64_MAX, 1, 1 },
        { UINT64_MAX, UINT64_MAX, 1 },
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_int_equal(sizing_iterations(rows[r].first, rows[r].target), rows[r].n);
}

#define KIB       UINT64_C(1024)
#define CURVE_MIB (KIB * 1024)
#define GIB       (CURVE_MIB * 1024)

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

TEST(test_sizes)
{
    static const struct {
        uint64_t max_bytes;
        size_t max, n;
        uint64_t last;
    } rows[] = {
        { 0, CURVE_SIZES_MAX, 0, 0 },
        { 16 * KIB - 1, CURVE_SIZES_MAX, 0, 0 },
        { 16 * KIB, CURVE_SIZES_MAX, 1, 16 * KIB },
        { 24 * KIB - 1, CURVE_SIZES_MAX, 1, 16 * KIB },
        { 24 * KIB, CURVE_SIZES_MAX, 2, 24 * KIB },
        { 32 * KIB - 1, CURVE_SIZES_MAX, 2, 24 * KIB },
        { 32 * KIB, CURVE_SIZES_MAX, 3, 32 * KIB },
        { 256 * CURVE_MIB, CURVE_SIZES_MAX, 29, 256 * CURVE_MIB },
        { 256 * CURVE_MIB, 5, 5, 64 * KIB },
        { 256 * CURVE_MIB, 4, 4, 48 * KIB },
        { 256 * CURVE_MIB, 0, 0, 0 },
        { UINT64_MAX, CURVE_SIZES_MAX, 100, UINT64_C(3) << 62 },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        uint64_t bytes[CURVE_SIZES_MAX + 1];
        size_t n;

        memset(bytes, 0x5a, sizeof(bytes));
        n = curve_sizes(rows[r].max_bytes, bytes, rows[r].max);
        assert_int_equal(n, rows[r].n);
        assert_int_equal(bytes[n], UNTOUCHED);
        if (n)
            assert_int_equal(bytes[n - 1], rows[r].last);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(bytes[i], ((i % 2) ? 24 * KIB : 16 * KIB) << i / 2);
    }
}

static struct cache_info caches_of(uint64_t l1, uint64_t l2, uint64_t l3)
{
    const uint64_t sizes[] = { l1, l2, l3 };
    struct cache_info info = { .n_caches = 0 };

    for (uint32_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i])
            info.cache[info.n_caches++] = (struct cache){
                .level = i + 1,
                .kind = i ? CACHE_UNIFIED : CACHE_DATA,
                .shared_by = 1,
                .size_bytes = sizes[i],
            };
    return info;
}

TEST(test_cache_bytes)
{
    static const struct {
        uint64_t cache[3], bytes[3], memory;
    } rows[] = {
        { { 32 * KIB, CURVE_MIB, 32 * CURVE_MIB },
          { 16 * KIB, 512 * KIB, 16 * CURVE_MIB },
          128 * CURVE_MIB },
        { { 48 * KIB, 2 * CURVE_MIB, 260 * CURVE_MIB },
          { 24 * KIB, CURVE_MIB, 130 * CURVE_MIB },
          1040 * CURVE_MIB },
        { { 32 * KIB, 4 * CURVE_MIB, 0 }, { 16 * KIB, 2 * CURVE_MIB, 0 }, 64 * CURVE_MIB },
        /* the level before is a quarter: half is just enough */
        { { 64 * KIB, 256 * KIB, CURVE_MIB }, { 32 * KIB, 128 * KIB, 512 * KIB }, 64 * CURVE_MIB },
        /* a little more than a quarter, a half, all of it */
        { { 48 * KIB, 160 * KIB, 400 * KIB }, { 24 * KIB, 96 * KIB, 300 * KIB }, 64 * CURVE_MIB },
        { { 64 * KIB, 512 * KIB, CURVE_MIB }, { 32 * KIB, 256 * KIB, 768 * KIB }, 64 * CURVE_MIB },
        { { 64 * KIB, 512 * KIB, 512 * KIB }, { 32 * KIB, 256 * KIB, 384 * KIB }, 64 * CURVE_MIB },
        /* whole lines */
        { { 100 * 64 + 64, 0, 0 }, { 50 * 64, 0, 0 }, 64 * CURVE_MIB },
        { { 0, 0, 16 * CURVE_MIB }, { 0, 0, 8 * CURVE_MIB }, 64 * CURVE_MIB },
        { { 0, 0, 17 * CURVE_MIB }, { 0, 0, 17 * CURVE_MIB / 2 }, 68 * CURVE_MIB },
        { { 0, 0, 0 }, { 0, 0, 0 }, 64 * CURVE_MIB },
        { { 0, 0, 512 * GIB }, { 0, 0, 256 * GIB }, 2048 * GIB },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct cache_info info = caches_of(rows[r].cache[0], rows[r].cache[1], rows[r].cache[2]);

        for (uint32_t level = 1; level <= 3; level++)
            assert_int_equal(curve_cache_bytes(&info, level), rows[r].bytes[level - 1]);
        assert_int_equal(curve_cache_bytes(&info, 4), 0);
        assert_int_equal(curve_cache_bytes(&info, UINT32_MAX), 0);
        assert_int_equal(curve_cache_bytes(&info, CURVE_MEMORY), rows[r].memory);
    }
}

/* Data read by the CPU is in no instruction cache. */
TEST(test_instruction_cache)
{
    struct cache_info info = caches_of(32 * KIB, 0, 0);

    info.cache[0].kind = CACHE_INSTRUCTION;
    assert_int_equal(curve_cache_bytes(&info, 1), 0);
}

#define CPUS_MAX 12

static const struct {
    uint32_t n_cpus;
    uint32_t node[CPUS_MAX], fill[CPUS_MAX], spread[CPUS_MAX];
} machines[] = {
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

TEST(test_make)
{
    for (size_t r = 0; r < COUNT(machines); r++) {
        uint32_t found[CPUS_MAX + 1];

        memset(found, 0xff, sizeof(found));
        scaling_order_make(SCALING_FILL, machines[r].node, machines[r].n_cpus, found);
        assert_memory_equal(found, machines[r].fill, machines[r].n_cpus * sizeof(found[0]));
        assert_int_equal(found[machines[r].n_cpus], UINT32_MAX);

        scaling_order_make(SCALING_SPREAD, machines[r].node, machines[r].n_cpus, found);
        assert_memory_equal(found, machines[r].spread, machines[r].n_cpus * sizeof(found[0]));
        assert_int_equal(found[machines[r].n_cpus], UINT32_MAX);
    }
}

/* Many CPUs on nodes by chance: each CPU comes once, and the orders keep what they promise. */
TEST(test_many)
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
TEST(test_limit)
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

TEST(test_counts)
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
TEST(test_counts_of_many)
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

TEST(test_names)
{
    assert_string_equal(scaling_order_name(SCALING_FILL), "fill");
    assert_string_equal(scaling_order_name(SCALING_SPREAD), "spread");
}

static void assert_near(double found, double expected)
{
    assert_true(fabs(found - expected) <= 1e-12 * fabs(expected));
}

TEST(test_rows)
{
    static const struct {
        double x[4];
        int n;
        double mean, stddev, min, max;
    } rows[] = {
        { { 0 }, 0, 0, NAN, 0, 0 },
        { { 5 }, 1, 5, NAN, 5, 5 },
        { { -3 }, 1, -3, NAN, -3, -3 },
        { { 2, 4 }, 2, 3, M_SQRT2, 2, 4 },
        { { 7, 7, 7, 7 }, 4, 7, 0, 7, 7 },
        { { 4, 3, 2, 1 }, 4, 2.5, 1.2909944487358056, 1, 4 },
        { { -1, 1, -1, 1 }, 4, 0, 1.1547005383792515, -1, 1 },
        /* a spread that the sum of squares would lose */
        { { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 },
          4,
          1e9 + 10,
          5.477225575051661,
          1e9 + 4,
          1e9 + 16 },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct stats s = { 0 };

        for (int i = 0; i < rows[r].n; i++)
            stats_add(&s, rows[r].x[i]);
        assert_int_equal(s.n, rows[r].n);
        assert_near(s.mean, rows[r].mean);
        if (rows[r].n < 2)
            assert_true(isnan(stats_stddev(&s)));
        else
            assert_near(stats_stddev(&s), rows[r].stddev);
        assert_true(s.min == rows[r].min);
        assert_true(s.max == rows[r].max);
    }
}

/* Against the two passes of the definition, after every value of a long row. */
TEST(test_definition)
{
    static double x[1000];
    struct stats s = { 0 };
    uint64_t random = 1;

    for (size_t n = 1; n <= COUNT(x); n++) {
        double mean = 0, squares = 0;

        x[n - 1] = 14000.0 + (double)(splitmix_next(&random) >> 40) / 1e4;
        stats_add(&s, x[n - 1]);

        for (size_t i = 0; i < n; i++)
            mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        assert_near(s.mean, mean);
        if (n > 1)
            assert_true(fabs(stats_stddev(&s) / sqrt(squares / (double)(n - 1)) - 1) < 1e-9);
        assert_true(s.min <= s.mean && s.mean <= s.max);
    }
}

/* Each comes once in a turn; after an even number of turns all have had the same places. */
TEST(test_turns)
{
    for (uint32_t n = 1; n <= 9; n++) {
        for (uint32_t turns = 1; turns <= 6; turns++) {
            uint32_t places[9] = { 0 };

            for (uint32_t turn = 0; turn < turns; turn++) {
                uint32_t seen = 0;

                for (uint32_t at = 0; at < n; at++) {
                    uint32_t which = turn_order(n, turn, at);

                    assert_true(which < n && !(seen & 1u << which));
                    seen |= 1u << which;
                    places[which] += at;
                }
            }
            for (uint32_t which = 0; which < n; which++)
                assert_int_equal(places[which], turns / 2 * (n - 1) + turns % 2 * which);
        }
    }
}
