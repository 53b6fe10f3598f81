// SPDX-License-Identifier: MIT
#include "badram/division.h"

#include "machine.h"

static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };

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

/* What the groups cost, each as the smallest pattern that covers it, atom by atom. */
static int64_t cost_of_groups(size_t n_groups)
{
    int64_t sum = 0;

    for (size_t g = 0; g < n_groups; g++) {
        struct pattern p;
        bool any = false;

        for (size_t i = 0; i < d.n_atoms; i++) {
            if (d.group_of[i] != g)
                continue;
            p = any ? pattern_join(p, d.atom[i]) : d.atom[i];
            any = true;
        }
        sum += any ? cost_of(&d.rule, p, NULL) : 0;
    }
    return sum;
}

TEST(patterns_become_groups_and_back)
{
    const struct pattern list[] = { pattern_block(0, 4), pattern_block(0, 8),
                                    pattern_block(512, 9) };
    OWN_MACHINE m = machine_make(ram);
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
}

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

TEST(clusters_are_told_apart)
{
    static const uint64_t first[] = { 0x40, 0x1a80, 0x3550 };
    OWN_MACHINE m = machine_make(ram);

    start(m);
    for (size_t i = 0; i < 48; i++)
        add(pattern_block(first[i % 3] + i / 3, 0));
    assert_true(division_split(&d, &work, 2) > 48);
    assert_int_equal(d.n_groups, 2);
    assert_int_equal(division_split(&d, &work, 3), 48);
    assert_int_equal(d.n_groups, 3);
}

/* One bank in two, its number the sum of 5 bits: no single bit helps. */
TEST(hashed_banks_are_told_apart)
{
    OWN_MACHINE m = machine_make(ram);

    start(m);
    for (uint64_t page = 0; page < 4096; page++)
        if (__builtin_popcountll(page & 0x925) % 2)
            add(pattern_block(page, 0));
    assert_int_equal(d.n_atoms, 2048);
    assert_int_equal(division_split(&d, &work, 15), 2048 + 256);
    assert_int_equal(division_split(&d, &work, 16), 2048);
}

/* One bank in four, by two sums that share two bits: that of fewer bits comes first. */
TEST(banks_of_two_sums_are_told_apart)
{
    OWN_MACHINE m = machine_make(ram);

    start(m);
    for (uint64_t i = 0; i < 4096; i++) {
        uint64_t page = i * 1237 % 4096;

        if (__builtin_popcountll(page & 0x844) % 2 && __builtin_popcountll(page & 0x935) % 2 == 0)
            add(pattern_block(page, 0));
    }
    assert_int_equal(d.n_atoms, 1024);
    assert_int_equal(division_split(&d, &work, 4), 2048);
    assert_int_equal(division_split(&d, &work, 32), 1024);
}

/* What the two halves by a bit cost, atoms of single pages; the whole if all are in one. */
static int64_t cost_by(uint64_t bit)
{
    struct pattern half[2];
    bool any[2] = { false, false };
    int64_t cost = 0;

    for (size_t i = 0; i < d.n_atoms; i++) {
        bool one = d.atom[i].addr & bit;

        half[one] = any[one] ? pattern_join(half[one], d.atom[i]) : d.atom[i];
        any[one] = true;
    }
    for (size_t k = 0; k < 2; k++)
        cost += any[k] ? cost_of(&d.rule, half[k], NULL) : 0;
    return cost;
}

TEST(the_best_bit_comes_first_beside_a_hole)
{
    static const struct span with_hole[] = { { 0, 24 * MIB }, { 40 * MIB, 8 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(with_hole);

    for (uint64_t seed = 0; seed < 300; seed++) {
        uint64_t random = seed;
        int64_t least = INT64_MAX;

        start(m);
        while (d.n_atoms < 6)
            add(pattern_block(
                page_index_page(&m->space, machine_random(&random) % m->space.n_pages), 0));
        for (uint64_t bit = PAGE_SIZE; bit < 64 * MIB; bit <<= 1)
            least = cost_by(bit) < least ? cost_by(bit) : least;
        assert_int_equal(division_split(&d, &work, 2), least);
    }
}

TEST(atoms_are_cut)
{
    OWN_MACHINE m = machine_make(ram);

    start(m);
    add(pattern_block(0, 1));
    add((struct pattern){ 0, PATTERN_MASK_BITS & ~(UINT64_C(0x100) << PAGE_SHIFT) });
    assert_int_equal(division_split(&d, &work, 1), 4);
    assert_int_equal(division_split(&d, &work, 2), 3);
    assert_int_equal(d.n_atoms, 3);
}

/* Atoms of which each has another bit free: to cut them all there is no room. */
TEST(there_may_be_no_room_to_cut)
{
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 2, last;

    start(m);
    for (uint64_t i = 0; i < DIVISION_ATOMS_MAX; i++) {
        uint64_t mask = PATTERN_MASK_BITS & ~(UINT64_C(1) << (PAGE_SHIFT + i % 14));
        add((struct pattern){ (machine_random(&random) & 0x3fff) << PAGE_SHIFT & mask, mask });
    }
    last = d.n_atoms;
    division_split(&d, &work, DIVISION_GROUPS_MAX);
    assert_int_equal(d.n_groups, 1);
    assert_int_equal(d.n_atoms, last);
    d.n_atoms = 4000;
    division_split(&d, &work, DIVISION_GROUPS_MAX);
    assert_true(d.n_atoms <= DIVISION_ATOMS_MAX);
}

TEST(every_atom_stays_in_a_group)
{
    static struct pattern before[300], list[DIVISION_GROUPS_MAX];
    OWN_MACHINE m = machine_make(ram);
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
        division_split(&d, &work, max_groups);
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
}

static struct anneal_best best;

/* Pairs of adjoining pages, all of them torn apart. */
TEST(what_belongs_together_comes_together)
{
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 1;

    d.rule = (struct cost_rule){ &m->space, 0 };
    d.n_atoms = 24;
    for (size_t i = 0; i < 24; i += 2) {
        d.atom[i] = pattern_block(machine_random(&random) & 0x3ffe, 0);
        d.atom[i + 1] = d.atom[i];
        d.atom[i + 1].addr |= PAGE_SIZE;
        d.group_of[i] = (uint16_t)(i / 2);
        d.group_of[i + 1] = (uint16_t)((i / 2 + 1) % 12);
    }
    assert_true(cost_of_groups(12) > 10 * 24);
    assert_int_equal(division_anneal(&d, 12, &best, 100000, 0.1), 24);
    for (size_t i = 0; i < 24; i += 2)
        assert_int_equal(d.group_of[i], d.group_of[i + 1]);
}

TEST(it_is_never_worse_and_always_the_same)
{
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 1;

    for (size_t n = 1; n < 100; n += 7) {
        uint16_t before[100], after[100];
        size_t n_groups = 1 + machine_random(&random) % n;
        int64_t cost, least;

        load(m, n % 3 * 13, n, n_groups, &random);
        memcpy(before, d.group_of, sizeof(before));
        cost = cost_of_groups(n_groups);
        least = division_anneal(&d, n_groups, &best, 20000, 0.3);
        assert_true(least <= cost);
        assert_int_equal(cost_of_groups(n_groups), least);
        memcpy(after, d.group_of, sizeof(after));
        memcpy(d.group_of, before, sizeof(before));
        assert_int_equal(division_anneal(&d, n_groups, &best, 20000, 0.3), least);
        assert_memory_equal(d.group_of, after, n * sizeof(after[0]));
    }
}

/* All divisions of 8 atoms into 3 groups are tried. */
TEST(of_few_atoms_the_cheapest_division_is_found)
{
    static const struct span with_hole[] = { { 0, 6 * MIB }, { 10 * MIB, 6 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(with_hole);

    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t random = seed;
        uint16_t before[8];
        int64_t least = INT64_MAX;

        load(m, seed % 3 * 13, 8, 3, &random);
        memcpy(before, d.group_of, sizeof(before));
        for (unsigned way = 0; way < 6561; way++) {
            for (unsigned i = 0, left = way; i < 8; i++, left /= 3)
                d.group_of[i] = (uint16_t)(left % 3);
            least = cost_of_groups(3) < least ? cost_of_groups(3) : least;
        }
        memcpy(d.group_of, before, sizeof(before));
        assert_int_equal(division_anneal(&d, 3, &best, 20000, 0.3), least);
    }
}

TEST(without_steps_nothing_changes)
{
    OWN_MACHINE m = machine_make(ram);

    d.rule = (struct cost_rule){ &m->space, 0 };
    d.n_atoms = 2;
    d.atom[0] = pattern_block(0, 0);
    d.atom[1] = pattern_block(7, 0);
    d.group_of[0] = d.group_of[1] = 1;
    assert_int_equal(division_anneal(&d, 2, &best, 0, 0.1), 8);
    assert_int_equal(d.group_of[0], 1);
    assert_int_equal(division_anneal(&d, 2, &best, 10000, 0.1), 2);
}
