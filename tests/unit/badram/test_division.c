// SPDX-License-Identifier: MIT
#include "badram/division.h"

#include <string.h>

#include "machine.h"

static const struct span ram[] = { { 0, 16 * MiB }, { 4 * GiB, 16 * MiB }, { 0 } };

static struct division d;

/* Atoms of up to 4 pages, some with free bits further up. */
static void load(const struct machine *m, uint64_t price, size_t n_atoms, size_t n_groups,
                 uint64_t *random)
{
    memset(&d, 0xa5, sizeof(d));
    d.rule = (struct cost_rule){ &m->space, price };
    d.n_atoms = n_atoms;
    for (size_t i = 0; i < n_atoms; i++) {
        uint64_t free = machine_random(random) & machine_random(random) & 0x803 & -(i % 3 == 0);
        uint64_t mask = PATTERN_MASK_BITS & ~(free << PAGE_SHIFT);

        d.atom[i] = (struct pattern){ (machine_random(random) & 0xfff) << PAGE_SHIFT & mask, mask };
        d.group_of[i] = (uint16_t)(machine_random(random) % n_groups);
    }
}

/* The smallest pattern that covers the atoms of a group but one, atom by atom. */
static bool join(size_t group, size_t but, struct pattern *ret_pattern)
{
    bool any = false;

    for (size_t i = 0; i < d.n_atoms; i++) {
        if (d.group_of[i] == group && i != but) {
            *ret_pattern = any ? pattern_join(*ret_pattern, d.atom[i]) : d.atom[i];
            any = true;
        }
    }
    return any;
}

static void assert_true_to_atoms(void)
{
    for (size_t g = 0; g < d.n_groups; g++) {
        struct pattern p, found;

        if (!join(g, SIZE_MAX, &p)) {
            assert_int_equal(d.group[g].first, DIVISION_NONE);
            assert_int_equal(d.group[g].cost, 0);
            continue;
        }
        found = division_bits_pattern(&d.group[g].bits);
        assert_memory_equal(&found, &p, sizeof(p));
        assert_int_equal(d.group[g].cost, cost_of(&d.rule, p, NULL));
        for (uint16_t i = d.group[g].first; i != DIVISION_NONE; i = d.next[i]) {
            assert_int_equal(d.group_of[i], g);
            if (!join(g, i, &p))
                continue;
            found = division_bits_without(&d.group[g].bits, d.atom[i]);
            assert_memory_equal(&found, &p, sizeof(p));
        }
    }
}

static void groups_are_their_atoms(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 3;

    for (uint64_t price = 0; price < 40; price += 13) {
        int64_t sum = 0;

        load(m, price, 60, 9, &random);
        assert_true(division_regroup(&d, 12) > 0);
        assert_int_equal(d.n_groups, 12);
        assert_true_to_atoms();
        for (int i = 0; i < 300; i++) {
            size_t atom = machine_random(&random) % 60, to = machine_random(&random) % 12;

            if (d.group_of[atom] == to)
                continue;
            division_move(&d, atom, to);
            assert_int_equal(d.group_of[atom], to);
        }
        assert_true_to_atoms();
        for (size_t g = 0; g < 12; g++)
            sum += d.group[g].cost;
        assert_int_equal(division_regroup(&d, 12), sum);
    }
    machine_free(m);
}

static void patterns_become_groups_and_back(void **state)
{
    const struct pattern list[] = { pattern_block(0, 4), pattern_block(0, 8),
                                    pattern_block(512, 9) };
    struct machine *m = machine_make(ram);
    struct pattern found[3];

    d.rule = (struct cost_rule){ &m->space, 0 };
    d.n_atoms = 4;
    d.atom[0] = pattern_block(0x80, 0);
    d.atom[1] = pattern_block(0x8, 1);
    d.atom[2] = pattern_block(0x90, 4);
    d.atom[3] = pattern_block(0x9, 0);
    assert_int_equal(division_by_patterns(&d, list, 3), 2 + 32);
    assert_int_equal(d.group_of[0], 1);
    assert_int_equal(d.group_of[1], 0);
    assert_int_equal(d.group_of[2], 1);
    assert_int_equal(d.group_of[3], 0);
    assert_int_equal(division_patterns(&d, found), 2); /* the third is empty */
    assert_memory_equal(&found[0], &d.atom[1], sizeof(found[0]));
    assert_int_equal(found[1].addr, 0x80 << PAGE_SHIFT);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_their_atoms),
        cmocka_unit_test(patterns_become_groups_and_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
