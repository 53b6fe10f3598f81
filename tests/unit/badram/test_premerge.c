// SPDX-License-Identifier: MIT
#include "badram/premerge.h"

#include "machine.h"

static const struct span ram[] = { { 0, 64 * MiB }, { 4 * GiB, 64 * MiB }, { 0 } };

static void far_neighbours_stay_apart(void **state)
{
    struct machine *m = machine_make(ram);
    struct pattern list[] = { pattern_block(0, 0), pattern_block(2, 0), pattern_block(0x1000, 0),
                              pattern_block(0x1003, 0) };

    assert_int_equal(premerge_blocks(list, 4, 2, &m->space), 2);
    assert_int_equal(list[0].addr, 0);
    assert_int_equal(list[0].mask, pattern_block(0, 2).mask);
    assert_int_equal(list[1].addr, 0x1000 << PAGE_SHIFT);
    assert_int_equal(list[1].mask, pattern_block(0, 2).mask);
    machine_free(m);
}

static void short_lists_are_left_alone(void **state)
{
    struct machine *m = machine_make(ram);
    struct pattern list[] = { pattern_block(0, 0), pattern_block(1, 0) };

    assert_int_equal(premerge_blocks(list, 0, 1, &m->space), 0);
    assert_int_equal(premerge_blocks(list, 2, 2, &m->space), 2);
    assert_int_equal(list[1].addr, PAGE_SIZE);
    machine_free(m);
}

static void nothing_is_uncovered(void **state)
{
    struct machine *m = machine_make(ram);

    for (uint64_t seed = 1; seed < 400; seed++) {
        uint64_t random = seed;
        size_t n = 1 + machine_random(&random) % 300, distinct, kept;
        size_t target = 1 + machine_random(&random) % 100;
        struct pattern before[300], list[300];

        for (size_t i = 0; i < n; i++)
            before[i] = pattern_block(
                page_index_page(&m->space, machine_random(&random) % m->space.n_pages), 0);
        pattern_sort(before, n);
        distinct = 0;
        for (size_t i = 0; i < n; i++)
            if (i == 0 || before[i].addr != before[i - 1].addr)
                list[distinct++] = before[i];
        kept = premerge_blocks(list, distinct, target, &m->space);
        assert_true(kept <= target && kept > 0);
        for (size_t i = 0; i < n; i++) {
            size_t k = 0;

            while (k < kept && !pattern_contains(list[k], before[i]))
                k++;
            assert_true(k < kept);
        }
        for (size_t k = 0; k < kept; k++) {
            assert_int_equal(pattern_hull(list[k]).mask, list[k].mask);
            assert_true(k == 0 || !pattern_meets(list[k - 1], list[k]));
        }
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_neighbours_stay_apart),
        cmocka_unit_test(short_lists_are_left_alone),
        cmocka_unit_test(nothing_is_uncovered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
