// SPDX-License-Identifier: MIT
#include "badram/grub_holes.c"

#include "grub_plain.h"

static struct grub_turn turns[64];
static struct grub_holes holes;

static void begin(void)
{
    grub_holes_init(&holes, turns, 64, 100000);
}

static bool in_hole(const struct plain *p, uint64_t page)
{
    uint64_t pages, first;

    if (!machine_is_ram(p->machine, page))
        return grub_holes_contain(&holes, page);
    assert_int_equal(
        grub_holes_left(&holes, pattern_block(page, 0), &p->machine->space, &pages, &first),
        STATUS_OK);
    assert_int_equal(first, pages ? page : PAGES_MAX);
    assert_int_equal(pages, !grub_holes_contain(&holes, page));
    return pages == 0;
}

TEST(entries_become_pieces_by_first_bytes)
{
    static const struct span entry[] = {
        { 0, 0x9fc00 },      { 0x9fc00, 0x400 },   { 0x100000, 0x1800 },
        { 0x101800, 0x800 }, { 0x102800, 0x1000 },
    };
    struct page_run piece[5];
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, piece, entry, 5), STATUS_OK);
    assert_int_equal(map.n_pieces, 3);
    assert_int_equal(piece[0].first, 0);
    assert_int_equal(piece[0].count, 0xa0);
    assert_int_equal(piece[1].first, 0x100);
    assert_int_equal(piece[1].count, 2);
    assert_int_equal(piece[2].first, 0x103); /* nothing begins at 0x102000 */
    assert_int_equal(piece[2].count, 1);
    assert_true(grub_map_contains(&map, 0));
    assert_true(grub_map_contains(&map, 0x9f));
    assert_false(grub_map_contains(&map, 0xa0));
    assert_false(grub_map_contains(&map, 0x102));
    assert_true(grub_map_contains(&map, 0x103));
    assert_false(grub_map_contains(&map, 0x104));
}

TEST(bad_maps_are_refused)
{
    static const struct span overlap[] = { { 0, 0x2000 }, { 0x1000, 0x2000 } };
    static const struct span high = { (UINT64_C(1) << 52) - PAGE_SIZE, 2 * PAGE_SIZE };
    static const struct span top = { (UINT64_C(1) << 52) - PAGE_SIZE, PAGE_SIZE };
    static const struct span nothing = { UINT64_C(1) << 52, 0 };
    static const struct span above = { (UINT64_C(1) << 52) + PAGE_SIZE, PAGE_SIZE };
    struct page_run piece[2];
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, piece, overlap, 2), STATUS_INVALID);
    assert_int_equal(grub_map_init(&map, piece, &high, 1), STATUS_INVALID);
    assert_int_equal(grub_map_init(&map, piece, &top, 1), STATUS_OK);
    assert_true(grub_map_contains(&map, PAGES_MAX - 1));
    assert_int_equal(grub_map_init(&map, piece, &above, 1), STATUS_INVALID);
    assert_int_equal(grub_map_init(&map, piece, &nothing, 1), STATUS_OK);
    assert_int_equal(map.n_pieces, 0);
}

/* Two of RAM, and one of firmware's between that takes a turn as well. */
TEST(a_turn_is_for_one_piece)
{
    const struct pattern p = { 0x2000, PATTERN_MASK_BITS & ~UINT64_C(0x90000) };
    FREED_BY(plain_free) struct plain plain = { 0 };
    uint64_t pages, first;

    plain_add(&plain, 0, 16, true);
    plain_add(&plain, 120, 140, false);
    plain_add(&plain, 140, 160, true);
    plain_ready(&plain);
    begin();
    assert_int_equal(grub_holes_take(&holes, &plain.map, p), STATUS_OK);
    assert_true(in_hole(&plain, 2));
    assert_false(in_hole(&plain, 1));
    assert_int_equal(grub_holes_left(&holes, p, &plain.machine->space, &pages, &first), STATUS_OK);
    assert_int_equal(pages, 1);
    assert_int_equal(first, 0x92);
    assert_int_equal(grub_holes_take(&holes, &plain.map, p), STATUS_OK);
    assert_int_equal(holes.turn[1].run.first, 0x82);
    assert_false(in_hole(&plain, 0x92));
    assert_int_equal(grub_holes_take(&holes, &plain.map, p), STATUS_OK);
    assert_true(in_hole(&plain, 0x92));
    assert_int_equal(grub_holes_take(&holes, &plain.map, p), STATUS_NOT_FOUND);
    assert_int_equal(holes.n_holes, 3);
}

/* The same address under another mask begins again. */
TEST(another_mask_is_another_pattern)
{
    const struct pattern few = { 0x1000, PATTERN_MASK_BITS & ~UINT64_C(0x6000) };
    const struct pattern more = { 0x1000, PATTERN_MASK_BITS & ~UINT64_C(0xe000) };
    FREED_BY(plain_free) struct plain plain = { 0 };

    plain_add(&plain, 0, 16, true);
    plain_add(&plain, 16, 32, true);
    plain_ready(&plain);
    begin();
    assert_int_equal(grub_holes_take(&holes, &plain.map, few), STATUS_OK);
    assert_false(in_hole(&plain, 9));
    assert_int_equal(grub_holes_take(&holes, &plain.map, more), STATUS_OK);
    assert_true(in_hole(&plain, 9));
}

TEST(limits_end_it)
{
    const struct pattern odd = { 0x1000, PATTERN_MASK_BITS & ~UINT64_C(0xffffe000) };
    const struct span entry = { 0, UINT64_C(1) << 32 };
    struct grub_map map;
    struct page_run piece;
    FREED_BY(plain_free) struct plain plain = { 0 };
    uint64_t pages, first;

    /* exactly as many holes as there may be, and one more */
    assert_int_equal(grub_map_init(&map, &piece, &entry, 1), STATUS_OK);
    piece.count = 2 * GRUB_HOLES_MAX;
    begin();
    assert_int_equal(grub_holes_take(&holes, &map, odd), STATUS_OK);
    assert_int_equal(holes.n_holes, GRUB_HOLES_MAX);
    piece.count = 2 * GRUB_HOLES_MAX + 2;
    begin();
    assert_int_equal(grub_holes_take(&holes, &map, odd), STATUS_NO_SPACE);

    plain_add(&plain, 0, 16, true);
    plain_add(&plain, 16, 32, true);
    plain_ready(&plain);
    grub_holes_init(&holes, turns, 1, 1000);
    assert_int_equal(grub_holes_take(&holes, &plain.map, odd), STATUS_OK);
    assert_int_equal(grub_holes_take(&holes, &plain.map, odd), STATUS_NO_SPACE);
    assert_int_equal(holes.n_turns, 1);

    grub_holes_init(&holes, turns, 64, 17);
    assert_int_equal(grub_holes_left(&holes, odd, &plain.machine->space, &pages, &first),
                     STATUS_OK);
    assert_int_equal(pages, 16);
    grub_holes_init(&holes, turns, 64, 16);
    assert_int_equal(grub_holes_left(&holes, odd, &plain.machine->space, &pages, &first),
                     STATUS_NO_SPACE);
}

static void assert_as_plain(const struct plain *p)
{
    for (uint64_t page = 0; page < PLAIN_PAGES; page++)
        assert_int_equal(in_hole(p, page), p->hole[page]);
}

static void assert_left_as_plain(const struct plain *p, struct pattern pattern)
{
    uint64_t pages, first, expected = 0;

    for (uint64_t page = 0; page < PLAIN_PAGES; page++)
        expected += machine_is_ram(p->machine, page) && !p->hole[page] &&
                    pattern_covers(pattern, page << PAGE_SHIFT);
    assert_int_equal(grub_holes_left(&holes, pattern, &p->machine->space, &pages, &first),
                     STATUS_OK);
    assert_int_equal(pages, expected);
}

TEST(any_line_on_bios_is_as_by_walking)
{
    uint64_t random = 3;

    for (int i = 0; i < 3000; i++) {
        struct pattern line[4];
        FREED_BY(plain_free) struct plain plain;

        plain_make_random(&plain, &random);
        begin();
        for (int k = 0; k < 4; k++)
            line[k] = plain_random_pattern(&random);
        for (int k = 0; k < 12; k++) {
            struct pattern p = line[machine_random(&random) % 4];
            bool took = plain_take(&plain, p, 0);

            assert_int_equal(grub_holes_take(&holes, &plain.map, p),
                             took ? STATUS_OK : STATUS_NOT_FOUND);
            assert_left_as_plain(&plain, line[k % 4]);
        }
        assert_as_plain(&plain);
    }
}

TEST(any_line_on_uefi_is_as_by_walking)
{
    uint64_t random = 5;

    for (int i = 0; i < 2000; i++) {
        FREED_BY(plain_free) struct plain plain;

        plain_make_random(&plain, &random);
        begin();
        for (int k = 0; k < 4; k++) {
            struct pattern p = plain_random_pattern(&random);
            bool took = false;

            for (size_t e = 0; e < plain.n; e++)
                took |= plain_register(&plain, p, (int)(plain.entry[e].base >> PAGE_SHIFT),
                                       (int)(span_end(plain.entry[e]) >> PAGE_SHIFT)) > 0;
            assert_int_equal(grub_holes_take_all(&holes, &plain.map, p),
                             took ? STATUS_OK : STATUS_NOT_FOUND);
        }
        assert_as_plain(&plain);
    }
}
