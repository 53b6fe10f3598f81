// SPDX-License-Identifier: MIT
#include "badram/split.h"

#include <string.h>

#include "machine.h"

static const struct span ram[] = { { 0, 64 * MiB }, { 0 } };

static struct division d;
static struct split_work work;

static void start(const struct machine *m)
{
    memset(&work, 0xa5, sizeof(work));
    d.rule = (struct cost_rule){ &m->space, 0 };
    d.n_atoms = 0;
}

static void add(struct pattern atom)
{
    d.atom[d.n_atoms++] = atom;
}

static void clusters_are_told_apart(void **state)
{
    static const uint64_t first[] = { 0x40, 0x1a80, 0x3550 };
    struct machine *m = machine_make(ram);

    start(m);
    for (size_t i = 0; i < 48; i++)
        add(pattern_block(first[i % 3] + i / 3, 0));
    assert_true(split_division(&d, &work, 2) > 48);
    assert_int_equal(d.n_groups, 2);
    assert_int_equal(split_division(&d, &work, 3), 48);
    assert_int_equal(d.n_groups, 3);
    machine_free(m);
}

/* One bank in two, its number the sum of 5 bits: no single bit helps. */
static void hashed_banks_are_told_apart(void **state)
{
    struct machine *m = machine_make(ram);

    start(m);
    for (uint64_t page = 0; page < 4096; page++)
        if (__builtin_popcountll(page & 0x925) % 2)
            add(pattern_block(page, 0));
    assert_int_equal(d.n_atoms, 2048);
    assert_int_equal(split_division(&d, &work, 15), 2048 + 256);
    assert_int_equal(split_division(&d, &work, 16), 2048);
    machine_free(m);
}

static void atoms_are_cut(void **state)
{
    struct machine *m = machine_make(ram);

    start(m);
    add(pattern_block(0, 1));
    add((struct pattern){ 0, PATTERN_MASK_BITS & ~(UINT64_C(0x100) << PAGE_SHIFT) });
    assert_int_equal(split_division(&d, &work, 1), 4);
    assert_int_equal(split_division(&d, &work, 2), 3);
    assert_int_equal(d.n_atoms, 3);
    machine_free(m);
}

/* Atoms of which each has another bit free: to cut them all there is no room. */
static void there_may_be_no_room_to_cut(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 2, last;

    start(m);
    for (uint64_t i = 0; i < DIVISION_ATOMS_MAX; i++) {
        uint64_t mask = PATTERN_MASK_BITS & ~(UINT64_C(1) << (PAGE_SHIFT + i % 14));
        add((struct pattern){ (machine_random(&random) & 0x3fff) << PAGE_SHIFT & mask, mask });
    }
    last = d.n_atoms;
    split_division(&d, &work, DIVISION_GROUPS_MAX);
    assert_int_equal(d.n_groups, 1);
    assert_int_equal(d.n_atoms, last);
    d.n_atoms = 4000;
    split_division(&d, &work, DIVISION_GROUPS_MAX);
    assert_true(d.n_atoms <= DIVISION_ATOMS_MAX);
    machine_free(m);
}

static void every_atom_stays_in_a_group(void **state)
{
    static struct pattern before[300], list[DIVISION_GROUPS_MAX];
    struct machine *m = machine_make(ram);
    uint64_t random = 9;

    for (size_t max_groups = 1; max_groups <= DIVISION_GROUPS_MAX; max_groups *= 2) {
        size_t n;

        start(m);
        for (size_t i = 0; i < 300; i++) {
            uint64_t free = machine_random(&random) & machine_random(&random) & 0x111;
            uint64_t mask = PATTERN_MASK_BITS & ~(free << PAGE_SHIFT);

            before[i] =
                (struct pattern){ (machine_random(&random) & 0x3fff) << PAGE_SHIFT & mask, mask };
            add(before[i]);
        }
        split_division(&d, &work, max_groups);
        assert_in_range(d.n_groups, 1, max_groups);
        n = division_patterns(&d, list);
        for (size_t i = 0; i < 300; i++) {
            for (uint64_t page = 0; page < 0x4000; page++) {
                bool covered = !pattern_covers(before[i], page << PAGE_SHIFT);

                for (size_t k = 0; k < n && !covered; k++)
                    covered = pattern_covers(list[k], page << PAGE_SHIFT);
                assert_true(covered);
                page = pattern_next_page(before[i], page + 1) - 1;
            }
        }
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_told_apart),
        cmocka_unit_test(hashed_banks_are_told_apart),
        cmocka_unit_test(atoms_are_cut),
        cmocka_unit_test(there_may_be_no_room_to_cut),
        cmocka_unit_test(every_atom_stays_in_a_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
