// SPDX-License-Identifier: MIT
#include "badram/grub_holes.h"

#include "grub_plain.h"

static struct grub_bios_order_work work;
static struct pattern pair[GRUB_PAIRS_MAX];
static size_t n_pairs;

static enum status arrange(const struct plain *p, const struct pattern *list, size_t n,
                           size_t max_pairs)
{
    memset(&work, 0xa5, sizeof(work));
    return grub_bios_order_arrange(&p->map, &p->machine->space, list, n, max_pairs, &work, pair,
                                   &n_pairs);
}

static bool is_covered(const struct pattern *list, size_t n, uint64_t page)
{
    for (size_t i = 0; i < n; i++) {
        if (pattern_covers(list[i], page << PAGE_SHIFT))
            return true;
    }
    return false;
}

/* The RAM that the patterns cover, and no other, is holes; with whatever GRUB does beyond the first
 * piece. */
static void assert_registers(struct plain *p, const struct pattern *list, size_t n,
                             uint64_t *random)
{
    for (int max_more = 0; max_more < 4; max_more++) {
        memset(p->hole, 0, sizeof(p->hole));
        for (size_t i = 0; i < n_pairs; i++)
            plain_take(p, pair[i], max_more ? (int)(machine_random(random) % 4) : 0);
        for (uint64_t page = 0; page < PLAIN_PAGES; page++) {
            if (machine_is_ram(p->machine, page))
                assert_int_equal(p->hole[page], is_covered(list, n, page));
        }
    }
}

static void assert_arranges(struct plain *p, const struct pattern *list, size_t n, size_t expected)
{
    uint64_t random = 1;

    assert_int_equal(arrange(p, list, n, expected), STATUS_OK);
    assert_int_equal(n_pairs, expected);
    assert_registers(p, list, n, &random);
    assert_int_equal(arrange(p, list, n, expected - 1), STATUS_NO_SPACE);
}

/* Page 3 of every 16, and page 5. */
static const struct pattern third = { 0x3000, PATTERN_MASK_BITS & ~UINT64_C(0xf0000) };
static const struct pattern fifth = { 0x5000, PATTERN_MASK_BITS & ~UINT64_C(0xf0000) };

TEST(one_piece_takes_one_turn)
{
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 256, true);
    plain_ready(&p);
    assert_arranges(&p, &third, 1, 1);
}

TEST(firmwares_entries_cut)
{
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 60, true);
    plain_add(&p, 60, 80, false); /* page 67 is in it */
    plain_add(&p, 80, 120, true);
    plain_add(&p, 120, 130, false); /* none is in it */
    plain_add(&p, 150, 256, true);
    plain_ready(&p);
    assert_arranges(&p, &third, 1, 4);
}

/* Each piece between the holes of one is a piece for the other. */
TEST(interleaved_patterns_cut_each_other)
{
    const struct pattern both[] = { third, fifth };
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 256, true);
    plain_ready(&p);
    assert_arranges(&p, both, 2, 17);
}

TEST(single_blocks_come_last)
{
    const struct pattern list[] = { pattern_block(20, 0), pattern_block(56, 2), third,
                                    pattern_block(200, 3) };
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 256, true);
    plain_ready(&p);
    assert_arranges(&p, list, 4, 4);
    assert_int_equal(pair[0].addr, third.addr);
}

/*
 * Had the column its turn before, the block that begins on one of its pages would have no start any
 * more. It cuts the column in two; the other blocks would cut it in five.
 */
TEST(a_block_precedes_what_covers_its_first_page)
{
    const struct pattern column = { 0, PATTERN_MASK_BITS & ~UINT64_C(0xf0000) };
    const struct pattern list[] = { column, pattern_block(20, 2), pattern_block(36, 2),
                                    pattern_block(64, 3), pattern_block(200, 2) };
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 256, true);
    plain_ready(&p);
    assert_arranges(&p, list, 5, 6);
    assert_int_equal(pair[0].addr, 64 << PAGE_SHIFT);
}

/* 16 pages from 32 on, of which the first 5 are a gap: the parts from 37, 38 and 40 on. */
TEST(a_block_that_begins_in_a_gap_is_parted)
{
    const struct pattern block = pattern_block(32, 4);
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 30, true);
    plain_add(&p, 37, 256, true);
    plain_ready(&p);
    assert_arranges(&p, &block, 1, 3);
}

/* Only the RAM of a part counts, and a reserved piece will do to begin in. */
TEST(parts_begin_in_any_piece)
{
    const struct pattern block = pattern_block(32, 4);
    FREED_BY(plain_free) struct plain p = { 0 };

    plain_add(&p, 0, 30, true);
    plain_add(&p, 36, 41, false);
    plain_add(&p, 41, 44, true);
    plain_ready(&p);
    assert_arranges(&p, &block, 1, 1);
    assert_int_equal(pair[0].addr, 40 << PAGE_SHIFT);
}

TEST(both_sides_of_4_gib)
{
    static const struct span entry[] = {
        { 0, 0x9fc00 },
        { 0x9fc00, 0x400 },
        { 0xf0000, 0x10000 },
        { MIB, 3 * GIB - MIB },
        { 4 * GIB - 64 * MIB, 64 * MIB },
        { 4 * GIB, GIB },
    };
    static const struct span ram[] = {
        { 0, 0x9fc00 }, { MIB, 3 * GIB - MIB }, { 4 * GIB, GIB }, { 0 }
    };
    const struct pattern p = { 0x12345000,
                               PATTERN_MASK_BITS & ~(4 * GIB) }; /* 0x12345000, 0x112345000 */
    OWN_MACHINE m = machine_make(ram);
    struct page_run piece[6];
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, piece, entry, 6), STATUS_OK);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, &p, 1, 1, &work, pair, &n_pairs),
                     STATUS_NO_SPACE);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, &p, 1, 2, &work, pair, &n_pairs),
                     STATUS_OK);
    assert_int_equal(n_pairs, 2);
    assert_int_equal(pair[1].addr, p.addr);
}

/* RAM that begins within a page lies in it open to all but a block that begins before. */
TEST(ram_within_a_page)
{
    static const struct span entry[] = { { 0, 0x6000 }, { 0x9800, 0x10000 - 0x9800 } };
    static const struct span ram[] = { { 0, 0x6000 }, { 0x9800, 0x10000 - 0x9800 }, { 0 } };
    const struct pattern page = pattern_block(9, 0), block = pattern_block(8, 3),
                         all = pattern_block(0, 4);
    OWN_MACHINE m = machine_make(ram);
    struct page_run piece[2];
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, piece, entry, 2), STATUS_OK);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, &page, 1, 9, &work, pair, &n_pairs),
                     STATUS_NO_SPACE);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, &block, 1, 9, &work, pair, &n_pairs),
                     STATUS_NO_SPACE);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, &all, 1, 9, &work, pair, &n_pairs),
                     STATUS_OK);
    assert_int_equal(n_pairs, 1);
}

/* As many pairs as there may be at all, and one more. */
TEST(no_more_pairs_than_there_is_room_for)
{
    static struct pattern list[GRUB_PAIRS_MAX + 1];
    static const struct span ram[] = { { 0, 16 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    struct page_run piece;
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, &piece, ram, 1), STATUS_OK);
    for (size_t i = 0; i <= GRUB_PAIRS_MAX; i++)
        list[i] = pattern_block(2 * i, 0);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, list, GRUB_PAIRS_MAX, 100000, &work,
                                             pair, &n_pairs),
                     STATUS_OK);
    assert_int_equal(n_pairs, GRUB_PAIRS_MAX);
    assert_int_equal(grub_bios_order_arrange(&map, &m->space, list, GRUB_PAIRS_MAX + 1, 100000,
                                             &work, pair, &n_pairs),
                     STATUS_NO_SPACE);
}

TEST(every_arrangement_registers_all)
{
    uint64_t random = 9, n_arranged = 0;

    for (int i = 0; i < 3000; i++) {
        size_t n = 1 + machine_random(&random) % 6;
        struct pattern list[6];
        FREED_BY(plain_free) struct plain p;

        plain_make_random(&p, &random);
        for (size_t k = 0; k < n; k++)
            list[k] = plain_random_pattern(&random);
        memset(pair, 0, sizeof(pair));
        memcpy(pair, list, sizeof(list));
        /* in place, as the cover does */
        assert_int_equal(grub_bios_order_arrange(&p.map, &p.machine->space, pair, n, GRUB_PAIRS_MAX,
                                                 &work, pair, &n_pairs),
                         STATUS_OK);
        n_arranged += n_pairs;
        assert_registers(&p, list, n, &random);
    }
    assert_true(n_arranged > 3000);
}
