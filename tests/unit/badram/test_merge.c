// SPDX-License-Identifier: MIT
#include "badram/merge.h"

#include "badram/pattern.h"
#include "machine.h"

static const struct span ram[] = { { 0, 16 * MIB }, { 4 * GIB, 16 * MIB }, { 0 } };

static struct merge_list list;

static void load(const struct machine *m, const uint64_t *pages, size_t n)
{
    struct pattern p[MERGE_MAX];

    for (size_t i = 0; i < n; i++)
        p[i] = pattern_block(pages[i], 0);
    merge_load(&list, &m->space, p, n);
}

static bool list_holds(uint64_t first_page, uint64_t free)
{
    for (size_t i = 0; i < list.n; i++)
        if (list.pattern[i].addr == first_page << PAGE_SHIFT &&
            list.pattern[i].mask == (PATTERN_MASK_BITS & ~(free << PAGE_SHIFT)))
            return true;
    return false;
}

TEST(contained_patterns_are_not_loaded)
{
    OWN_MACHINE m = machine_make(ram);
    const struct pattern p[] = { pattern_block(4, 0), pattern_block(4, 2), pattern_block(4, 2),
                                 pattern_block(8, 0), pattern_block(8, 0) };

    merge_load(&list, &m->space, p, 5);
    assert_int_equal(list.n, 2);
    assert_true(list_holds(4, 3) && list_holds(8, 0));
}

TEST(the_cheapest_pair_goes_first)
{
    static const uint64_t pages[] = { 0, 3, 0x115, 0x12a, 0x6c1 };
    OWN_MACHINE m = machine_make(ram);

    load(m, pages, 5);
    merge_by_cost(&list, 4, 0);
    assert_int_equal(list.n, 4);
    assert_true(list_holds(0, 3)); /* for 2 pages more */
    assert_true(list_holds(0x115, 0) && list_holds(0x12a, 0) && list_holds(0x6c1, 0));
}

TEST(free_merges_go_on_below_the_limit)
{
    static const uint64_t pages[] = { 0, 0x10, 0x400, 0x410, 0x801 };
    OWN_MACHINE m = machine_make(ram);

    load(m, pages, 5);
    merge_by_cost(&list, 5, 0);
    assert_int_equal(list.n, 2);
    assert_true(list_holds(0, 0x410) && list_holds(0x801, 0));
}

/* The join of pages 2 and 4 covers 0 and 6 as well. */
TEST(pages_without_ram_cost_nothing)
{
    static const struct {
        struct span ram[2];
        size_t n;
    } cases[] = {
        { { { 0x2000, 0x3000 } }, 1 }, /* pages 2 to 4 */
        { { { 0x1000, 0x5000 } }, 1 }, /* pages 1 to 5 */
        { { { 0x1000, 0x5001 } }, 2 },
        { { { 0x0fff, 0x5001 } }, 2 },
    };
    static const uint64_t pages[] = { 2, 4 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_MACHINE m = machine_make(cases[i].ram);

        load(m, pages, 2);
        merge_by_cost(&list, 2, 0);
        assert_int_equal(list.n, cases[i].n);
    }
}

TEST(joined_patterns_absorb)
{
    static const uint64_t pages[] = { 0x10, 0x13, 0x11, 0x800 };
    OWN_MACHINE m = machine_make(ram);

    load(m, pages, 4);
    merge_by_cost(&list, 3, 0);
    assert_int_equal(list.n, 3);
    load(m, pages, 4);
    merge_by_cost(&list, 2, 0);
    assert_int_equal(list.n, 2);
    assert_true(list_holds(0x10, 3) && list_holds(0x800, 0));
}

TEST(a_high_price_fills_gaps)
{
    static const uint64_t pages[] = { 0x20, 0x28, 0x900 };
    OWN_MACHINE m = machine_make(ram);

    load(m, pages, 3);
    merge_by_cost(&list, 3, 1); /* 14 pages for one range are too many, a lossless join is not */
    assert_true(list_holds(0x20, 8));
    load(m, pages, 3);
    merge_by_cost(&list, 3, 16); /* now they are worth it */
    assert_true(list_holds(0x20, 0xf) && list_holds(0x900, 0));
}

TEST(ranges_are_brought_down)
{
    OWN_MACHINE m = machine_make(ram);
    struct pattern stride = { 0, PATTERN_MASK_BITS & ~(UINT64_C(0x1f4) << PAGE_SHIFT) };
    const struct pattern p[] = { stride, pattern_block(0x801, 0) };

    for (uint64_t limit = 70; limit > 0; limit--) {
        merge_load(&list, &m->space, p, 2);
        merge_ranges(&list, limit);
        assert_true(cover_count_ranges(list.pattern, list.n, &m->space, 1000) <= limit);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(cover_count_new(p[i], list.pattern, list.n, &m->space), 0);
    }
}

/* Filled first are the gaps that cost least: 4 pages becoming 5 ... 8 of 0-0x1f7. */
TEST(the_limit_that_holds_changes_nothing)
{
    OWN_MACHINE m = machine_make(ram);
    struct pattern stride = { 0, PATTERN_MASK_BITS & ~(UINT64_C(0x1f4) << PAGE_SHIFT) };

    merge_load(&list, &m->space, &stride, 1);
    merge_ranges(&list, 64);
    assert_true(list.n == 1 && list_holds(0, 0x1f4));
    merge_load(&list, &m->space, &stride, 1);
    merge_ranges(&list, 63);
    assert_true(list.n == 1 && list_holds(0, 0x1f7));
    merge_load(&list, &m->space, &stride, 1);
    merge_ranges(&list, 31);
    assert_true(list.n == 1 && list_holds(0, 0x1ff));
}

TEST(a_range_for_each_side_of_a_gap_must_do)
{
    static const uint64_t pages[] = { 0, 0x100000 };
    OWN_MACHINE m = machine_make(ram);

    load(m, pages, 2);
    merge_ranges(&list, 1); /* cannot be: ends all the same, and covers both */
    assert_true(list.n >= 1);
}

/* What is remembered of each slot is true after many merges, or a lower bound when stale. */
TEST(the_cache_stays_true)
{
    OWN_MACHINE m = machine_make(ram);

    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t random = seed, pages[300];
        size_t n_fresh = 0;

        for (size_t i = 0; i < 300; i++)
            pages[i] = machine_random(&random) % (seed % 2 ? 1024 : 4096);
        load(m, pages, 300);
        merge_by_cost(&list, 40, 0);
        for (size_t i = 0; i < list.n; i++) {
            for (size_t j = 0; j < list.n; j++) {
                const struct pattern pair[] = { list.pattern[i], list.pattern[j] };
                int64_t cost = (int64_t)(pattern_pages(pattern_join(pair[0], pair[1]), &m->space) -
                                         cover_count_pages(pair, 2, &m->space));

                assert_true(j == i || list.slot[i].key <= cost);
                if (list.slot[i].partner == j) {
                    assert_int_equal(list.slot[i].key, cost);
                    n_fresh++;
                }
            }
        }
        for (size_t i = 0; i < list.n; i++) /* or UINT32_MAX: its partner has gone */
            assert_true(list.slot[i].partner < list.n || list.slot[i].partner == UINT32_MAX);
        assert_true(n_fresh > 0 || list.n == 1);
    }
}

TEST(nothing_is_uncovered)
{
    OWN_MACHINE m = machine_make(ram);

    for (uint64_t seed = 1; seed < 60; seed++) {
        uint64_t random = seed, pages[200];
        size_t n = 1 + machine_random(&random) % 200, most = 1 + machine_random(&random) % 40;

        for (size_t i = 0; i < n; i++)
            pages[i] = page_index_page(&m->space, machine_random(&random) % m->space.n_pages);
        load(m, pages, n);
        if (seed % 3 == 0)
            merge_by_cost(&list, most, 0);
        else
            merge_by_cost(&list, most, UINT64_C(1) << seed % 25);
        assert_true(list.n <= most);
        if (seed % 2)
            merge_ranges(&list, most);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(
                cover_count_new(pattern_block(pages[i], 0), list.pattern, list.n, &m->space), 0);
    }
}
