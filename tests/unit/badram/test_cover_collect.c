// SPDX-License-Identifier: MIT
#include "badram/cover.c" /* its first step, collect_patterns() */

#include "machine.h"

#define MAX 64

static const struct span ram[] = { { 0, 64 * MIB }, { 4 * GIB, 64 * MIB }, { 0 } };

static struct pattern block[MAX];
static struct pattern_set set;

static void mark_random(struct machine *m, uint64_t seed, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        machine_mark(m, page_index_page(&m->space, machine_random(&seed) % m->space.n_pages));
}

static void assert_all_covered(const struct machine *m, const struct pattern *list, size_t n)
{
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t addr = page_index_page(&m->space, i) << PAGE_SHIFT;
        bool covered = !fault_log_is_bad(&m->log, addr);

        for (size_t k = 0; k < n && !covered; k++)
            covered = pattern_covers(list[k], addr);
        assert_true(covered);
    }
}

TEST(blocks_are_all_or_none)
{
    OWN_MACHINE m = machine_make(ram);

    assert_int_equal(collect_blocks(&m->log, block, MAX), 0);
    assert_int_equal(collect_few_blocks(&m->log, block, MAX), 0);
    for (uint64_t i = 0; i < MAX; i++)
        machine_mark(m, 5 + i * 10);
    assert_int_equal(collect_blocks(&m->log, block, MAX), MAX);
    assert_int_equal(collect_few_blocks(&m->log, block, MAX), MAX);
    assert_int_equal(collect_blocks(&m->log, block, MAX - 1), 0);
    machine_mark(m, 0x100000);
    assert_int_equal(collect_blocks(&m->log, block, MAX), 0);
}

TEST(few_blocks_cover_all)
{
    for (uint64_t seed = 1; seed < 30; seed++) {
        OWN_MACHINE m = machine_make(ram);
        size_t n;

        mark_random(m, seed, seed * seed * 4);
        n = collect_few_blocks(&m->log, block, MAX);
        assert_in_range(n, 1, MAX);
        assert_all_covered(m, block, n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(pattern_hull(block[i]).mask, block[i].mask);
            assert_true(i == 0 || block[i - 1].addr < block[i].addr);
            assert_true(i == 0 || !pattern_meets(block[i - 1], block[i]));
        }
    }
}

/* The fifth block finds room when the nearest of the four before it were joined. */
TEST(far_neighbours_stay_apart)
{
    static const uint64_t page[] = { 0, 2, 0x1000, 0x1003, 0x2000 };
    OWN_MACHINE m = machine_make(ram);

    for (size_t i = 0; i < 5; i++)
        machine_mark(m, page[i]);
    assert_int_equal(collect_few_blocks(&m->log, block, 4), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(block[i].addr, (i * 0x1000) << PAGE_SHIFT);
        assert_int_equal(block[i].mask, pattern_block(0, i < 2 ? 2 : 0).mask);
    }
}

/* Without loss, as regions, and joined: by how many bad pages there are. */
TEST(patterns_cover_all)
{
    static const uint64_t counts[] = { 0, 1, 1000, 20000, 40000 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        OWN_MACHINE m = machine_make(ram);
        uint64_t pages = 0;

        mark_random(m, 7, counts[i]);
        collect_patterns(&m->log, &set);
        assert_true(set.n <= PATTERN_SET_MAX && (set.n > 0) == (counts[i] > 0));
        assert_all_covered(m, set.pattern, set.n);
        for (size_t k = 0; k < set.n; k++)
            pages += pattern_pages(set.pattern[k], &m->space);
        if (counts[i] <= 1000)
            assert_int_equal(pages, fault_log_bad_pages(&m->log));
    }
}

/* 64 pages, a gap of 32, 32 pages, and far above 8 pages. */
static const struct span pieces[] = {
    { 0, 0x40000 }, { 0x60000, 0x20000 }, { 4 * GIB, 0x8000 }, { 0 }
};

static const struct {
    struct page_run bad[4];
    struct page_run block[8]; /* first page and pages, by address */
} cases[] = {
    { { { 5, 1 } }, { { 5, 1 } } },
    { { { 0, 1 } }, { { 0, 1 } } },
    { { { 4, 4 } }, { { 4, 4 } } },
    { { { 3, 7 } }, { { 3, 1 }, { 4, 4 }, { 8, 2 } } },
    { { { 2, 2 }, { 5, 1 } }, { { 2, 2 }, { 5, 1 } } },
    /* up to the gap, on both sides of it, and everything */
    { { { 0x3d, 3 } }, { { 0x3d, 1 }, { 0x3e, 2 } } },
    { { { 0x60, 7 } }, { { 0x60, 4 }, { 0x64, 2 }, { 0x66, 1 } } },
    { { { 0x100000, 7 } }, { { 0x100000, 4 }, { 0x100004, 2 }, { 0x100006, 1 } } },
    { { { 0x20, 0x20 }, { 0x60, 0x20 } }, { { 0x20, 0x20 }, { 0x60, 0x20 } } },
    { { { 0, 0x40 }, { 0x60, 0x20 }, { 0x100000, 8 } },
      { { 0, 0x40 }, { 0x60, 0x20 }, { 0x100000, 8 } } },
};

TEST(runs_become_blocks)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_MACHINE m = machine_make(pieces);
        size_t n = 0;

        for (size_t k = 0; k < 4; k++)
            for (uint64_t page = 0; page < cases[i].bad[k].count; page++)
                machine_mark(m, cases[i].bad[k].first + page);
        while (n < 8 && cases[i].block[n].count)
            n++;
        assert_int_equal(collect_blocks(&m->log, block, MAX), n);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(block[k].addr, cases[i].block[k].first << PAGE_SHIFT);
            assert_int_equal(block[k].mask,
                             PATTERN_MASK_BITS & ~((cases[i].block[k].count << PAGE_SHIFT) - 1));
        }
    }
}

TEST(blocks_hold_bad_pages_and_no_good_ones)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        OWN_MACHINE m = machine_make(pieces);
        uint64_t random = seed, share = seed % 9, covered = 0;
        size_t n;

        for (uint64_t i = 0; i < m->space.n_pages; i++)
            if (machine_random(&random) % 8 < share)
                machine_mark(m, page_index_page(&m->space, i));
        n = collect_blocks(&m->log, block, MAX);
        for (size_t k = 0; k < n; k++)
            covered += pattern_pages(block[k], &m->space);
        assert_int_equal(covered, fault_log_bad_pages(&m->log));
        assert_all_covered(m, block, n);
    }
}

/*
 * Of every 4th page on both sides of the hole, 5 of 6 are bad, and two pages elsewhere: too many
 * patterns without loss.
 */
TEST(a_column_in_part_is_one_region)
{
    static const struct span large[] = { { 0, 256 * MIB }, { 4 * GIB, 256 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(large);
    uint64_t random = 1;

    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t page = page_index_page(&m->space, i);

        if (page % 4 == 1 && machine_random(&random) % 6)
            machine_mark(m, page);
    }
    machine_mark(m, 0x322);
    machine_mark(m, 0x100ffe);
    collect_patterns(&m->log, &set);
    assert_int_equal(set.n, 3);
    assert_all_covered(m, set.pattern, 3);
    for (size_t k = 0; k < 3; k++)
        assert_true(pattern_pages(set.pattern[k], &m->space) == 1 ||
                    pattern_pages(set.pattern[k], &m->space) == m->space.n_pages / 4);
}

/* Of a sixteenth of memory one page in ten is bad: regions that are mostly bad are too many. */
TEST(sparse_pages_are_in_larger_regions)
{
    static const struct span large[] = { { 0, 4 * GIB }, { 0 } };
    OWN_MACHINE m = machine_make(large);
    uint64_t random = 3, pages = 0;

    for (uint64_t page = 5; page < m->space.n_pages; page += 16)
        if (machine_random(&random) % 10 == 0)
            machine_mark(m, page);
    assert_true(fault_log_bad_pages(&m->log) > PATTERN_SET_MAX);
    collect_patterns(&m->log, &set);
    assert_in_range(set.n, 1, 1024);
    assert_all_covered(m, set.pattern, set.n);
    for (size_t k = 0; k < set.n; k++) {
        pages += pattern_pages(set.pattern[k], &m->space);
        assert_int_equal(set.pattern[k].addr & ~set.pattern[k].mask, 0);
    }
    assert_in_range(pages, fault_log_bad_pages(&m->log), m->space.n_pages / 4);
}
