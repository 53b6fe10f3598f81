// SPDX-License-Identifier: MIT
#include "boot/check/image_check.h"

#include "image.h"

static union image first, second;
static uint8_t placed[IMAGE_MEMORY_PAGES * IMAGE_PAGE];

static void place_all(const struct image_copies *copies)
{
    for (uint32_t page = 0; page < IMAGE_MEMORY_PAGES; page++)
        image_copies_place(copies, page, placed + page * IMAGE_PAGE);
}

static enum status open_two(struct image_copies *copies)
{
    const struct image_copy copy[] = {
        { first.byte, sizeof(first) },
        { second.byte, sizeof(second) },
    };

    return image_copies_open(copy, 2, copies);
}

static void make_two(unsigned seed)
{
    image_make(&first, seed);
    second = first;
}

/* Any set of pages damaged in one copy, the others in the other: the image is whole. */
TEST(each_page_from_a_copy_that_has_it)
{
    static union image want;

    for (unsigned in_first = 0; in_first < 1 << IMAGE_PAGES; in_first++) {
        struct image_copies copies;

        make_two(8);
        want = first;
        for (uint32_t page = 0; page < IMAGE_PAGES; page++)
            (in_first >> page & 1 ? &first : &second)->page[page][page * 7] ^= 0x10;
        assert_int_equal(open_two(&copies), STATUS_OK);
        for (uint32_t page = 0; page < IMAGE_PAGES; page++)
            assert_ptr_equal(image_copies_page(&copies, page),
                             (in_first >> page & 1 ? &second : &first)->page[page]);
        assert_int_equal(image_copies_first_lost(&copies), IMAGE_PAGES);
        memset(placed, 0xee, sizeof(placed));
        place_all(&copies);
        assert_memory_equal(placed, &want, sizeof(want));
        for (size_t i = 0; i < sizeof(placed) - sizeof(want); i++)
            assert_int_equal(placed[sizeof(want) + i], 0);
    }
}

TEST(page_lost_in_both)
{
    struct image_copies copies;

    make_two(9);
    first.page[2][0] ^= 1;
    second.page[2][4095] ^= 0x80;
    assert_int_equal(open_two(&copies), STATUS_OK);
    assert_null(image_copies_page(&copies, 2));
    assert_int_equal(image_copies_first_lost(&copies), 2);
    assert_non_null(image_copies_page(&copies, 3));
    memset(placed, 0xee, sizeof(placed));
    place_all(&copies);
    assert_int_equal(placed[2 * IMAGE_PAGE], 0xee);
    assert_false(image_check_page(copies.check, placed + 2 * IMAGE_PAGE, 2));
}

TEST(table_lost_in_both)
{
    struct image_copies copies = { .n_copies = 77 };

    make_two(10);
    first.page[0][8] ^= 1;
    second.page[0][4095] ^= 1;
    assert_int_equal(open_two(&copies), STATUS_INVALID);
    assert_int_equal(copies.n_copies, 77);
}

/* What else a boot loader may bring along: too short, or something else, or another build. */
TEST(modules_that_are_no_copy)
{
    static union image other;
    static uint8_t junk[sizeof(other)];

    image_make(&other, 12);
    for (size_t cut = 0; cut < sizeof(second); cut += IMAGE_PAGE - 1) {
        const struct image_copy copy[] = {
            { first.byte, sizeof(first) },
            { junk, cut },
            { second.byte, cut },
            { other.byte, sizeof(other) },
        };
        struct image_copies copies;

        make_two(11);
        assert_int_equal(image_copies_open(copy, 4, &copies), STATUS_OK);
        assert_ptr_equal(copies.check, first.byte);
        first.page[3][0] ^= 1;
        assert_null(image_copies_page(&copies, 3));
    }
}

TEST(more_copies_than_there_is_room_for)
{
    struct image_copy copy[IMAGE_COPIES_MAX + 2];
    struct image_copies copies;

    make_two(13);
    for (size_t i = 0; i < IMAGE_COPIES_MAX + 2; i++)
        copy[i] = (struct image_copy){ first.byte, sizeof(first) };
    assert_int_equal(image_copies_open(copy, IMAGE_COPIES_MAX + 2, &copies), STATUS_OK);
    assert_int_equal(copies.n_copies, IMAGE_COPIES_MAX);
}
