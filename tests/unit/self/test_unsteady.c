// SPDX-License-Identifier: MIT
#include "self/unsteady.h"

#include "tests/unit/unit.h"

#define BASE UINT64_C(0x100000)

static bool note(uint64_t addr)
{
    return unsteady_note((struct unsteady_word){ addr, 1, 2 });
}

static void assert_part(struct span piece, uint64_t bytes, bool is_unsteady)
{
    struct unsteady_part part = unsteady_cut(piece);

    assert_int_equal(part.bytes, bytes);
    assert_int_equal(part.is_unsteady, is_unsteady);
}

static int forget(void **state)
{
    struct unsteady_word word;

    unsteady_moved();
    while (unsteady_take(&word))
        ;
    return 0;
}

TEST(the_second_time_it_is_the_original, forget)
{
    struct unsteady_word word;

    assert_false(note(0));
    assert_false(note(0));
    assert_false(note(BASE + 0x1008));
    assert_false(note(BASE + 0x1010)); /* another word */
    assert_false(unsteady_take(&word));
    assert_true(note(BASE + 0x1008));
    assert_true(unsteady_take(&word));
    assert_int_equal(word.addr, BASE + 0x1008);
    assert_int_equal(word.first, 1);
    assert_int_equal(word.second, 2);
    assert_false(unsteady_take(&word));
}

TEST(pieces_are_cut_at_its_page, forget)
{
    assert_part((struct span){ BASE, 0x4000 }, 0x4000, false);
    note(BASE + 0x2ff8);
    note(BASE + 0x2ff8);
    note(BASE + 0x1000);
    note(BASE + 0x1000);
    assert_part((struct span){ BASE, 0x4000 }, 0x1000, false);
    assert_part((struct span){ BASE + 0x1000, 0x3000 }, 0x1000, true);
    assert_part((struct span){ BASE + 0x2000, 0x2000 }, 0x1000, true);
    assert_part((struct span){ BASE + 0x2000, 0x800 }, 0x800, true);
    assert_part((struct span){ BASE + 0x3000, 0x1000 }, 0x1000, false);
    assert_part((struct span){ BASE, 0x800 }, 0x800, false);
}

TEST(a_move_ends_it, forget)
{
    struct unsteady_word word;

    note(BASE);
    note(BASE);
    unsteady_moved();
    assert_part((struct span){ BASE, 0x1000 }, 0x1000, false);
    assert_false(note(BASE));
    assert_true(unsteady_take(&word)); /* what was seen is still to be told */
}

TEST(eight_pages_at_most, forget)
{
    for (uint64_t i = 0; i < UNSTEADY_MAX; i++) {
        assert_false(note(BASE + i * PAGE_SIZE));
        assert_true(note(BASE + i * PAGE_SIZE));
    }
    assert_false(note(BASE));
    assert_false(note(2 * BASE));
    assert_false(note(2 * BASE));
}
