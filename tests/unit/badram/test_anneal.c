// SPDX-License-Identifier: MIT
#include "badram/anneal.h"

#include "machine.h"

static const struct span ram[] = { { 0, 64 * MiB }, { 0 } };

static struct division d;
static struct anneal_best best;

static void start(const struct machine *m, size_t n)
{
    d.rule = (struct cost_rule){ &m->space, 0 };
    d.n_atoms = n;
}

/* Pairs of adjoining pages, all of them torn apart. */
static void what_belongs_together_comes_together(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 1;

    start(m, 24);
    for (size_t i = 0; i < 24; i += 2) {
        d.atom[i] = pattern_block(machine_random(&random) & 0x3ffe, 0);
        d.atom[i + 1] = d.atom[i];
        d.atom[i + 1].addr |= PAGE_SIZE;
        d.group_of[i] = (uint16_t)(i / 2);
        d.group_of[i + 1] = (uint16_t)((i / 2 + 1) % 12);
    }
    assert_true(division_regroup(&d, 12) > 10 * 24);
    assert_int_equal(anneal(&d, &best, 100000, 0.1), 24);
    for (size_t i = 0; i < 24; i += 2)
        assert_int_equal(d.group_of[i], d.group_of[i + 1]);
    machine_free(m);
}

static void it_is_never_worse_and_always_the_same(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 1;

    for (size_t n = 1; n < 100; n += 7) {
        uint16_t before[100], after[100];
        size_t n_groups = 1 + machine_random(&random) % n;
        int64_t cost, least;

        start(m, n);
        for (size_t i = 0; i < n; i++) {
            d.atom[i] = pattern_block(machine_random(&random) & 0x3fff, 0);
            before[i] = d.group_of[i] = (uint16_t)(machine_random(&random) % n_groups);
        }
        cost = division_regroup(&d, n_groups);
        least = anneal(&d, &best, 20000, 0.3);
        assert_true(least <= cost);
        for (size_t i = 0; i < n; i++) {
            after[i] = d.group_of[i];
            d.group_of[i] = before[i];
            assert_true(after[i] < n_groups);
        }
        division_regroup(&d, n_groups);
        assert_int_equal(anneal(&d, &best, 20000, 0.3), least);
        assert_memory_equal(d.group_of, after, n * sizeof(after[0]));
        assert_int_equal(division_regroup(&d, n_groups), least);
    }
    machine_free(m);
}

static void without_steps_nothing_changes(void **state)
{
    struct machine *m = machine_make(ram);

    start(m, 2);
    d.atom[0] = pattern_block(0, 0);
    d.atom[1] = pattern_block(7, 0);
    d.group_of[0] = d.group_of[1] = 1;
    division_regroup(&d, 2);
    assert_int_equal(anneal(&d, &best, 0, 0.1), 8);
    assert_int_equal(d.group_of[0], 1);
    assert_int_equal(anneal(&d, &best, 10000, 0.1), 2);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_belongs_together_comes_together),
        cmocka_unit_test(it_is_never_worse_and_always_the_same),
        cmocka_unit_test(without_steps_nothing_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
