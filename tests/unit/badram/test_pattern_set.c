// SPDX-License-Identifier: MIT
#include "badram/pattern_set.h"

#include "machine.h"

static struct pattern_set set;

/* Adds the pages base + any subset of the bits of `free`, in the order of addresses. */
static void add_cube(uint64_t base, uint64_t free)
{
    uint64_t sub = 0;

    do {
        pattern_set_add(&set, pattern_block(base | sub, 0));
        sub = (sub - free) & free;
    } while (sub);
}

static void regular_places_become_one_pattern(void **state)
{
    static const struct {
        uint64_t base, free;
    } cubes[] = {
        { 7, 0 },
        { 0, 1 },
        { 0x800, 0x7fc },
        { 0x3, 0xff0 },
        { 0x100001, 0x92490 },
        { 0, 0x8000000001 },
        { 0xf000000000, 0xfff },
    };

    for (size_t i = 0; i < sizeof(cubes) / sizeof(cubes[0]); i++) {
        pattern_set_clear(&set);
        add_cube(cubes[i].base, cubes[i].free);
        assert_int_equal(set.n, 1);
        assert_int_equal(set.pattern[0].addr, cubes[i].base << PAGE_SHIFT);
        assert_int_equal(set.pattern[0].mask, PATTERN_MASK_BITS & ~(cubes[i].free << PAGE_SHIFT));
    }
}

static bool set_covers(uint64_t page)
{
    for (size_t i = 0; i < set.n; i++)
        if (pattern_covers(set.pattern[i], page << PAGE_SHIFT))
            return true;
    return false;
}

/* No two patterns of one mask differ in one bit. */
static void assert_nothing_left_to_merge(void)
{
    for (size_t i = 0; i < set.n; i++)
        for (size_t j = 0; j < i; j++) {
            uint64_t differing = set.pattern[i].addr ^ set.pattern[j].addr;

            assert_true(set.pattern[i].mask != set.pattern[j].mask ||
                        (differing & (differing - 1)) != 0);
        }
}

static void any_set_stays_what_it_is(void **state)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        uint64_t random = seed;
        bool bad[512] = { false };

        pattern_set_clear(&set);
        for (int i = 0; i < 400; i++) {
            uint64_t page = machine_random(&random) % 512;

            if (!bad[page])
                pattern_set_add(&set, pattern_block(page, 0));
            bad[page] = true;
        }
        assert_nothing_left_to_merge();
        pattern_set_rebuild(&set);
        assert_nothing_left_to_merge();
        for (uint64_t page = 0; page < 1024; page++)
            assert_int_equal(set_covers(page), page < 512 && bad[page]);
    }
}

static void equal_patterns_are_one(void **state)
{
    pattern_set_clear(&set);
    pattern_set_add(&set, pattern_block(5, 0));
    pattern_set_add(&set, pattern_block(5, 0));
    pattern_set_add(&set, pattern_block(6, 0));
    assert_int_equal(set.n, 2);
}

/* Pages with an even number of bits: no two can merge. */
static void it_can_be_filled_to_the_last_place(void **state)
{
    pattern_set_clear(&set);
    for (uint64_t page = 0; page < 2 * PATTERN_SET_MAX; page++)
        if (__builtin_popcountll(page) % 2 == 0)
            pattern_set_add(&set, pattern_block(page, 0));
    assert_int_equal(set.n, PATTERN_SET_MAX);
    pattern_set_rebuild(&set);
    assert_int_equal(set.n, PATTERN_SET_MAX);
    /* a full set still takes what merges */
    set.n--;
    pattern_set_rebuild(&set);
    pattern_set_add(&set, pattern_block(1, 0));
    assert_int_equal(set.n, PATTERN_SET_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_places_become_one_pattern),
        cmocka_unit_test(any_set_stays_what_it_is),
        cmocka_unit_test(equal_patterns_are_one),
        cmocka_unit_test(it_can_be_filled_to_the_last_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
