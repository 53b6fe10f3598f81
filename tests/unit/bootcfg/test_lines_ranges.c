// SPDX-License-Identifier: MIT
#include "bootcfg/lines_form.h"

#include "badram/machine.h"

/* 64 pages, a gap of 32, 32 pages, and far above 8 pages. */
static const struct span ram[] = {
    { 0, 0x40000 }, { 0x60000, 0x20000 }, { 4 * GIB, 0x8000 }, { 0 }
};

static struct ranges ranges;

static void mark_runs(struct machine *m, const struct page_run *bad, size_t max)
{
    for (size_t k = 0; k < max; k++)
        for (uint64_t n = 0; n < bad[k].count; n++)
            machine_mark(m, bad[k].first + n);
}

TEST(the_smallest_gaps_are_given_up)
{
    static const struct {
        struct page_run bad[5];
        size_t max;
        struct page_run range[5];
        uint64_t lost;
        bool crosses;
    } cases[] = {
        { .max = 3 },
        { { { 5, 1 } }, 1, { { 5, 1 } }, 0, false },
        { { { 1, 2 }, { 4, 1 }, { 9, 1 } }, 3, { { 1, 2 }, { 4, 1 }, { 9, 1 } }, 0, false },
        { { { 1, 2 }, { 4, 1 }, { 9, 1 } }, 2, { { 1, 4 }, { 9, 1 } }, 1, false },
        { { { 1, 2 }, { 4, 1 }, { 9, 1 } }, 1, { { 1, 9 } }, 5, false },
        /* from the small gap to the large one, and the other way round */
        { { { 0, 1 }, { 2, 1 }, { 5, 1 }, { 9, 1 } }, 2, { { 0, 6 }, { 9, 1 } }, 3, false },
        { { { 0, 1 }, { 4, 1 }, { 7, 1 }, { 9, 1 } }, 2, { { 0, 1 }, { 4, 6 } }, 3, false },
        /* many good pages rather than a place without RAM */
        { { { 0, 1 }, { 0x3f, 1 }, { 0x60, 1 } }, 2, { { 0, 0x40 }, { 0x60, 1 } }, 62, false },
        { { { 0, 1 }, { 0x3f, 1 }, { 0x60, 1 } }, 1, { { 0, 0x61 } }, 62, true },
        { { { 0x3e, 1 }, { 0x61, 1 }, { 0x100000, 8 } },
          2,
          { { 0x3e, 0x24 }, { 0x100000, 8 } },
          2,
          true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_MACHINE m = machine_make(ram);

        mark_runs(m, cases[i].bad, 5);
        for (unsigned joined_later = 0; joined_later < 2; joined_later++) {
            ranges_collect(&m->log, joined_later ? RANGES_MAX : cases[i].max, &ranges);
            ranges_join(&ranges, cases[i].max);
            for (size_t k = 0; k < ranges.n; k++) {
                assert_int_equal(ranges.run[k].first, cases[i].range[k].first);
                assert_int_equal(ranges.run[k].count, cases[i].range[k].count);
            }
            assert_true(ranges.n == 5 || !cases[i].range[ranges.n].count);
            assert_int_equal(ranges.bad_pages, fault_log_bad_pages(&m->log));
            assert_int_equal(ranges.lost_pages, cases[i].lost);
            assert_int_equal(ranges.crosses, cases[i].crosses);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The sum of the smallest gaps, by sorting them all. */
static uint64_t least_loss(const struct machine *m, size_t max)
{
    static uint64_t gap[1 << 16];
    uint64_t index = 0, end = 0, sum = 0;
    size_t n = 0;
    struct page_run run;

    while (fault_log_next_run(&m->log, &index, &run)) {
        if (end)
            gap[n++] = run.first - end;
        end = page_run_end(run);
    }
    qsort(gap, n, sizeof(gap[0]), ascending);
    for (size_t i = 0; i + max < n + 1; i++)
        sum += gap[i];
    return sum;
}

TEST(nothing_less_can_be_lost)
{
    static const struct span one_gib[] = { { 0, GIB }, { 0 } };
    static const size_t maxima[] = { 1, 2, 20, RANGES_MAX - 1, RANGES_MAX };
    uint64_t seed = 7;

    for (unsigned round = 0; round < 12; round++) {
        OWN_MACHINE m = machine_make(one_gib);
        unsigned n_bad = 1 + (unsigned)(machine_random(&seed) % (round % 3 ? 3000 : 30));

        for (unsigned i = 0; i < n_bad; i++)
            machine_mark(m, machine_random(&seed) % (GIB >> PAGE_SHIFT) >> round % 4 * 3);
        for (size_t i = 0; i < sizeof(maxima) / sizeof(maxima[0]); i++) {
            uint64_t in_ranges = 0, end = 0;

            ranges_collect(&m->log, maxima[i], &ranges);
            assert_in_range(ranges.n, 1, maxima[i]);
            for (size_t k = 0; k < ranges.n; k++) {
                assert_true(k == 0 || ranges.run[k].first > end);
                end = page_run_end(ranges.run[k]);
                in_ranges += ranges.run[k].count;
                assert_true(fault_log_is_bad(&m->log, ranges.run[k].first << PAGE_SHIFT));
                assert_true(fault_log_is_bad(&m->log, (end - 1) << PAGE_SHIFT));
            }
            assert_int_equal(in_ranges, ranges.bad_pages + ranges.lost_pages);
            assert_int_equal(ranges.bad_pages, fault_log_bad_pages(&m->log));
            assert_int_equal(ranges.lost_pages, least_loss(m, maxima[i]));
        }
    }
}
