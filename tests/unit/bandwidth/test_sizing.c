// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include <math.h>

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

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

#define CURVE_MIB (KIB * 1024)
#define CURVE_GIB (CURVE_MIB * 1024)

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
        { { 0, 0, 512 * CURVE_GIB }, { 0, 0, 256 * CURVE_GIB }, 2048 * CURVE_GIB },
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

enum { P, E }; /* performance and efficiency cores */

static const struct {
    uint32_t n_cpus;
    uint32_t node[CPUS_MAX], core[CPUS_MAX], kind[CPUS_MAX], fill[CPUS_MAX], spread[CPUS_MAX];
} machines[] = {
    { 0, { 0 }, { 0 }, { P }, { 0 }, { 0 } },
    { 1, { 7 }, { 3 }, { P }, { 0 }, { 0 } },
    { 4, { 0, 0, 0, 0 }, { 0, 1, 2, 3 }, { P }, { 0, 1, 2, 3 }, { 0, 1, 2, 3 } },
    { 4, { 0, 0, 1, 1 }, { 0, 1, 2, 3 }, { P }, { 0, 1, 2, 3 }, { 0, 2, 1, 3 } },
    /* Firmware that spreads by itself. */
    { 4, { 0, 1, 0, 1 }, { 0, 1, 2, 3 }, { P }, { 0, 2, 1, 3 }, { 0, 1, 2, 3 } },
    /* Unequal nodes, with gaps. */
    { 5, { 9, 9, 4, 4, 4 }, { 0, 1, 2, 3, 4 }, { P }, { 2, 3, 4, 0, 1 }, { 2, 0, 3, 1, 4 } },
    { 3, { UINT32_MAX, 0, UINT32_MAX }, { 0, 1, 2 }, { P }, { 1, 0, 2 }, { 1, 0, 2 } },
    /* The MADT lists siblings side by side, or after all cores. */
    { 4, { 0, 0, 0, 0 }, { 0, 0, 1, 1 }, { P }, { 0, 2, 1, 3 }, { 0, 2, 1, 3 } },
    { 4, { 0, 0, 0, 0 }, { 0, 1, 0, 1 }, { P }, { 0, 1, 2, 3 }, { 0, 1, 2, 3 } },
    { 8,
      { 0, 0, 0, 0, 1, 1, 1, 1 },
      { 0, 0, 1, 1, 2, 2, 3, 3 },
      { P },
      { 0, 2, 4, 6, 1, 3, 5, 7 },
      { 0, 4, 2, 6, 1, 5, 3, 7 } },
    /* Four threads a core; a core of which firmware left one off. */
    { 7, { 0 }, { 5, 5, 5, 5, 8, 8, 8 }, { P }, { 0, 4, 1, 2, 3, 5, 6 }, { 0, 4, 1, 2, 3, 5, 6 } },
    /* Efficiency cores first in the MADT. */
    { 6,
      { 0 },
      { 8, 9, 0, 0, 1, 1 },
      { E, E, P, P, P, P },
      { 2, 4, 0, 1, 3, 5 },
      { 2, 4, 0, 1, 3, 5 } },
    { 12,
      { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 },
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
      { P },
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
      { 0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11 } },
};

static void assert_order(enum scaling_order order, size_t r, const uint32_t *expected)
{
    struct scaling_cpu cpus[CPUS_MAX];
    uint32_t n = machines[r].n_cpus;

    for (uint32_t i = 0; i < n; i++)
        cpus[i] = (struct scaling_cpu){
            i, machines[r].node[i], machines[r].core[i], machines[r].kind[i] == E, SCALING_PLACES,
            99
        };
    for (int twice = 0; twice < 2; twice++) { /* from any order to the same */
        assert_int_equal(scaling_order_make(order, cpus, n), n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(cpus[i].index, expected[i]);
    }
}

TEST(test_make)
{
    for (size_t r = 0; r < COUNT(machines); r++) {
        assert_order(SCALING_FILL, r, machines[r].fill);
        assert_order(SCALING_SPREAD, r, machines[r].spread);
    }
}

TEST(test_efficiency_cores_alone)
{
    struct scaling_cpu cpus[] = { { .index = 0, .core = 0 },
                                  { .index = 1, .core = 9, .is_efficient = true },
                                  { .index = 2, .core = 0 },
                                  { .index = 3, .core = 8, .is_efficient = true } };

    assert_int_equal(scaling_order_make(SCALING_EFFICIENT, cpus, 4), 2);
    assert_true(cpus[0].index == 1 && cpus[1].index == 3);
    assert_true(cpus[0].place == SCALING_EFFICIENT_CORE && cpus[1].place == cpus[0].place);
    assert_int_equal(scaling_order_make(SCALING_FILL, cpus, 4), 4);
    assert_true(cpus[0].index == 0 && cpus[3].index == 2 && cpus[3].place == SCALING_SIBLING);

    cpus[0].is_efficient = cpus[3].is_efficient = true; /* no others; then none of them */
    assert_int_equal(scaling_order_make(SCALING_EFFICIENT, cpus, 4), 0);
    for (size_t i = 0; i < COUNT(cpus); i++)
        cpus[i].is_efficient = false;
    assert_int_equal(scaling_order_make(SCALING_EFFICIENT, cpus, 4), 0);
}

/* Many CPUs by chance: each comes once, cores before siblings, and in a place by the order. */
TEST(test_many)
{
    enum { CPUS = 1025, NODES = 8 };
    static struct scaling_cpu cpus[CPUS];
    uint64_t random = 1;

    for (uint32_t i = 0; i < CPUS; i++) {
        uint32_t core = (uint32_t)splitmix_below(&random, CPUS / 2);

        cpus[i] = (struct scaling_cpu){ .index = i, .node = core % NODES, .core = core };
    }
    for (enum scaling_order order = SCALING_FILL; order <= SCALING_SPREAD; order++) {
        bool seen[CPUS] = { false };

        assert_int_equal(scaling_order_make(order, cpus, CPUS), CPUS);
        for (uint32_t i = 0; i < CPUS; i++) {
            const struct scaling_cpu *c = &cpus[i], *last = &cpus[i ? i - 1 : 0];

            assert_false(seen[c->index]);
            seen[c->index] = true;
            assert_true(c->place >= last->place);
            if (c->place != last->place || i == 0)
                assert_int_equal(c->before, 0);
            else if (order == SCALING_FILL)
                assert_true(c->node >= last->node);
            else
                assert_true(c->before > last->before ||
                            (c->before == last->before && c->node > last->node));
        }
    }
}

/* n cores, of which the last are efficient, then siblings. */
static size_t counts_of(uint32_t cores, uint32_t efficient, uint32_t siblings, uint32_t *found)
{
    static struct scaling_cpu cpus[8192];
    uint32_t n = cores + efficient + siblings;

    for (uint32_t i = 0; i < n; i++)
        cpus[i].place = i < cores               ? SCALING_CORE
                        : i < cores + efficient ? SCALING_EFFICIENT_CORE
                                                : SCALING_SIBLING;
    return scaling_order_counts(cpus, n, found);
}

TEST(test_counts)
{
    static const struct {
        uint32_t cores, efficient, siblings;
        size_t n;
        uint32_t threads[28];
    } tables[] = {
        { 1, 0, 0, 1, { 1 } },
        { 2, 0, 0, 2, { 1, 2 } },
        { 1, 1, 1, 3, { 1, 2, 3 } },
        { 15, 0, 0, 15, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
        { 16, 0, 0, 16, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
        { 20, 0, 0, 17, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20 } },
        { 21, 0, 0, 18, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21 } },
        { 8, 9, 5, 19, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 22 } },
        { 30, 4, 30, 26, { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                           14, 15, 16, 20, 24, 28, 30, 32, 34, 40, 48, 56, 64 } },
    };

    for (size_t t = 0; t < COUNT(tables); t++) {
        uint32_t found[SCALING_COUNTS_MAX];

        memset(found, 0xff, sizeof(found));
        assert_int_equal(counts_of(tables[t].cores, tables[t].efficient, tables[t].siblings, found),
                         tables[t].n);
        assert_memory_equal(found, tables[t].threads, tables[t].n * sizeof(found[0]));
        assert_int_equal(found[tables[t].n], UINT32_MAX);
    }
}

/* There is room for the largest number; counts grow, by a quarter at most. */
TEST(test_counts_of_many)
{
    static const uint32_t cores[] = { 900, 4000, 4091 };

    for (size_t c = 0; c < COUNT(cores); c++) {
        uint32_t found[SCALING_COUNTS_MAX], all = 2 * cores[c] + 10;
        size_t n = counts_of(cores[c], 10, cores[c], found);

        assert_int_equal(found[0], 1);
        assert_int_equal(found[n - 1], all);
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
    assert_string_equal(scaling_order_name(SCALING_EFFICIENT), "efficient");
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
