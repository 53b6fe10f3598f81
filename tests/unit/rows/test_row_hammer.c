// SPDX-License-Identifier: MIT
#include "rows/row_hammer.c"

#include "sweep/memory.h"

#define BYTES     (UINT64_C(8) << 20)
#define PHYS      UINT64_C(0x23f800000)
#define ROW_BYTES UINT64_C(0x10000)

/* Banks by 13 ^ 16, 14 ^ 17 and 15; 128 rows of 64 KiB in the region; 128 lines in a row of a bank.
 */
static struct row_map map = {
    .bits = 0x7fffff,
    .n_functions = 3,
    .function = { 0x12000, 0x24000, 0x8000 },
    .row = 0x7f0000,
    .column = 0x1fff,
    .step = { [16] = 0x12000, [17] = 0x24000 },
};

static char *memory;
static struct reports got;

int group_set_up(void **state)
{
    for (unsigned bit = 6; bit < 23; bit++) {
        if (!map.step[bit])
            map.step[bit] = UINT64_C(1) << bit;
    }
    memory = aligned_alloc(PAGE_SIZE, BYTES);
    return !memory;
}

/* --- patterns --------------------------------------------------------------------------------- */

TEST(patterns_are_sound)
{
    uint64_t random = 1;

    for (unsigned i = 0; i < 100 * ROW_PATTERNS; i++) {
        struct row_pattern p;
        bool used[ROW_PAIRS_MAX] = { false };

        row_pattern_make(i % ROW_PATTERNS, &random, &p);
        assert_non_null(p.name);
        assert_in_range(p.n_pairs, 1, ROW_PAIRS_MAX);
        assert_in_range(p.n_steps, 1, ROW_STEPS_MAX);
        assert_in_range(p.columns * p.n_pairs, 1, 64);
        for (uint32_t k = 0; k < p.n_steps; k++) {
            assert_in_range(p.step[k], 0, p.n_pairs - 1);
            used[p.step[k]] = true;
        }
        for (uint32_t k = 0; k < 2 * p.n_pairs; k++) {
            int row = p.pair[k / 2][k % 2];

            assert_in_range(abs(row) + 2, 3, ROW_PATTERN_REACH);
            for (uint32_t other = 0; other < k; other++)
                assert_int_not_equal(p.pair[other / 2][other % 2], row);
        }
        assert_true(used[0]);
        assert_int_equal(p.waits_for_refresh, strcmp(p.name, "frequencies") == 0);
    }
}

/* Around a row that nothing opens, and then around one four rows further, above and below. */
TEST(many_sided_rows_are_four_apart)
{
    static const int8_t rows[ROW_PAIRS_MAX][2] = {
        { -1, 1 },  { 3, 5 },     { -5, -3 }, { 7, 9 },     { -9, -7 },
        { 11, 13 }, { -13, -11 }, { 15, 17 }, { -17, -15 },
    };
    uint64_t random = 1;
    struct row_pattern p;

    row_pattern_make(0, &random, &p);
    assert_string_equal(p.name, "many-sided");
    assert_int_equal(p.n_pairs, ROW_PAIRS_MAX);
    assert_memory_equal(p.pair, rows, sizeof(rows));
}

/* The near rows are opened once while the far ones are 63 times. */
TEST(half_double_opens_near_rows_rarely)
{
    uint64_t random = 1;
    unsigned near = 0;
    struct row_pattern p;

    row_pattern_make(3, &random, &p);
    assert_string_equal(p.name, "half-double");
    for (uint32_t k = 0; k < p.n_steps; k++)
        near += abs(p.pair[p.step[k]][0]) == 1;
    assert_int_equal(p.n_steps, 64);
    assert_int_equal(near, 1);
}

/* --- places ----------------------------------------------------------------------------------- */

TEST(sites_are_in_one_bank_and_within_the_region)
{
    struct span region = { PHYS + 5 * PAGE_SIZE, BYTES - 9 * PAGE_SIZE };
    uint64_t random = 1;

    for (unsigned i = 0; i < 200 * ROW_PATTERNS; i++) {
        struct row_pattern p;
        struct row_site site;

        row_pattern_make(i % ROW_PATTERNS, &random, &p);
        assert_true(row_site_find(&map, &p, region, &random, &site));
        for (uint32_t k = 0; k < 2 * p.n_pairs; k++) {
            uint64_t line = site.line[k / 2][k % 2], beyond;
            int row = p.pair[k / 2][k % 2];

            assert_int_equal(row_map_bank(&map, line), row_map_bank(&map, site.middle));
            assert_int_equal(row_map_row(&map, line), row_map_row(&map, site.middle) + row);
            for (int to = -2; to <= 2; to++) {
                assert_true(row_map_neighbour(&map, line, to, &beyond));
                assert_true(span_contains(region, beyond));
            }
        }
    }
}

TEST(regions_that_are_too_small)
{
    static const struct {
        uint64_t rows;
        size_t pattern;
        bool fits;
    } cases[] = {
        { 39, 0, true }, { 38, 0, false }, { 7, 1, true },  { 6, 1, false },
        { 9, 3, true },  { 8, 3, false },  { 0, 1, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span region = { PHYS, cases[i].rows * ROW_BYTES };
        struct row_pattern p;
        struct row_site site;
        uint64_t random = 1;
        bool found = false;

        row_pattern_make(cases[i].pattern, &random, &p);
        for (unsigned k = 0; k < 10; k++)
            found |= row_site_find(&map, &p, region, &random, &site);
        assert_int_equal(found, cases[i].fits);
    }
}

/* --- rounds ----------------------------------------------------------------------------------- */

struct watcher {
    uint64_t n_asked, stop_at, flip_at, flip_offset; /* when asked so often, from 1 on; 0: never */
    uint64_t zeros, ones; /* lines that are such, when asked for the second and the fourth time */
};

static void count_lines(struct watcher *w)
{
    for (uint64_t at = 0; at < BYTES; at += LINE_SIZE) {
        const uint64_t *word = (const uint64_t *)(memory + at);

        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(word[i], word[0] ? UINT64_MAX : 0);
        w->ones += w->n_asked == 2 && word[0];
        w->zeros += w->n_asked == 4 && !word[0];
    }
}

static bool watch(void *ctx)
{
    struct watcher *w = ctx;

    w->n_asked++;
    if (w->n_asked == 2 || w->n_asked == 4)
        count_lines(w);
    if (w->n_asked == w->flip_at)
        ((uint64_t *)memory)[w->flip_offset / 8] ^= UINT64_C(1) << 44;
    return w->stop_at && w->n_asked >= w->stop_at;
}

static uint64_t run_round(struct watcher *w, size_t pattern, uint64_t n_sites, uint64_t n_steps)
{
    struct sweep sweep = { .ops = &line_ops_sse2,
                           .faults = { .report = reports_add, .ctx = &got } };
    struct row_hammer hammer = {
        .sweep = &sweep,
        .map = &map,
        .region = { (struct line *)memory, PHYS, BYTES / sizeof(struct line) },
        .refresh_cycles = 1000,
    };
    struct row_pattern p;
    uint64_t random = 1;

    got.n = 0;
    row_pattern_make(pattern, &random, &p);
    return row_hammer_round(&hammer, &p, n_sites, n_steps, &random, watch, w);
}

/* While rows are hammered, aggressors hold the complement of all others; then all are alike. */
TEST(good_memory_passes)
{
    static const unsigned aggressors[ROW_PATTERNS] = { 18, 2, 0, 4, 2 };

    for (size_t i = 0; i < ROW_PATTERNS; i++) {
        struct watcher w = { 0 };

        assert_int_equal(run_round(&w, i, 1, 300), 4);
        assert_int_equal(got.n, 0);
        assert_int_equal(w.n_asked, 4);
        assert_int_equal(w.ones, w.zeros);
        assert_int_equal(w.ones % 128, 0);
        if (aggressors[i])
            assert_int_equal(w.ones, aggressors[i] * 128);
        for (uint64_t k = 0; k < BYTES / 8; k++)
            assert_int_equal(((const uint64_t *)memory)[k], UINT64_MAX);
    }
}

TEST(flips_are_reported_where_they_are)
{
    static const uint64_t offset[] = { 0, 0x400040, BYTES - 8 };

    for (size_t i = 0; i < COUNT(offset) * 2; i++) {
        struct watcher w = { .flip_at = 2 + i % 2 * 2, .flip_offset = offset[i / 2] };

        run_round(&w, 1, 1, 300);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.report[0].phys, PHYS + offset[i / 2]);
        assert_int_equal(got.report[0].found, got.report[0].expected ^ UINT64_C(1) << 44);
    }
}

/* Asked every 4096 steps; what was hammered until then is verified. */
TEST(stops_when_told)
{
    struct watcher w = { .stop_at = 4, .flip_at = 4, .flip_offset = 4096 };

    assert_int_equal(run_round(&w, 1, 10, UINT64_MAX), 2);
    assert_int_equal(w.n_asked, 5);
    assert_int_equal(got.n, 1);

    w = (struct watcher){ .stop_at = 1 };
    assert_int_equal(run_round(&w, 1, 10, UINT64_MAX), 0);
    assert_int_equal(w.n_asked, 1);

    w = (struct watcher){ 0 };
    run_round(&w, 1, 1, 3 * 4096);
    assert_int_equal(w.n_asked, 2 * (1 + 3));
}
