// SPDX-License-Identifier: MIT
#include "image.h"

static union image image;
static struct image_check *const check = &image.check;

TEST(whole_image)
{
    uint32_t bad[1] = { 99 };

    image_make(&image, 1);
    assert_true(image_check_valid(check));
    assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES, bad, 1), 0);
    assert_int_equal(bad[0], 99);
}

/* One bit anywhere: its page is named, and no other; in the table: it is not sound. */
TEST(every_byte_is_covered)
{
    image_make(&image, 2);
    for (size_t at = 0; at < sizeof(image); at += at < 64 || rand() % 8 == 0 ? 1 : 61) {
        uint8_t bit = (uint8_t)(1 << rand() % 8);
        uint32_t bad[2];

        image.byte[at] ^= bit;
        if (at < IMAGE_PAGE) {
            assert_false(image_check_valid(check));
        } else {
            assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES, bad, 2), 1);
            assert_int_equal(bad[0], at / IMAGE_PAGE);
        }
        image.byte[at] ^= bit;
    }
    image.page[IMAGE_PAGES - 1][IMAGE_PAGE - 1] ^= 0x80;
    assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES, NULL, 0), 1);
    assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES - 1, NULL, 0), 0);
}

/* A running kernel's data change: it asks for the fixed pages alone. */
TEST(fixed_pages)
{
    uint32_t bad[IMAGE_PAGES] = { 0 };

    image_make(&image, 3);
    memset(image.byte + IMAGE_FIXED_PAGES * IMAGE_PAGE, 0,
           sizeof(image) - IMAGE_FIXED_PAGES * IMAGE_PAGE);
    assert_int_equal(image_check_pages(check, &image, IMAGE_FIXED_PAGES, bad, IMAGE_PAGES), 0);
    assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES, bad, IMAGE_PAGES), 2);
    assert_int_equal(bad[0], IMAGE_FIXED_PAGES);
    assert_int_equal(bad[1], IMAGE_FIXED_PAGES + 1);
}

TEST(more_damage_than_room)
{
    uint32_t bad[3] = { 0, 0, 77 };

    image_make(&image, 4);
    for (uint32_t page = 1; page < IMAGE_PAGES; page++)
        image.page[page][0] ^= 1;
    assert_int_equal(image_check_pages(check, &image, IMAGE_PAGES, bad, 2), IMAGE_PAGES - 1);
    assert_int_equal(bad[0], 1);
    assert_int_equal(bad[1], 2);
    assert_int_equal(bad[2], 77);
}

/* A table that says it is sound and cannot be: another image's version, more pages than fit. */
TEST(impossible_tables)
{
    static const struct {
        uint32_t n_pages, n_fixed, n_memory;
        bool sound;
    } cases[] = {
        { IMAGE_CHECK_PAGES_MAX, 1, IMAGE_CHECK_PAGES_MAX, true },
        { IMAGE_CHECK_PAGES_MAX + 1, 1, 2000, false },
        { UINT32_MAX, 1, UINT32_MAX, false },
        { 0, 0, 1, false },
        { 1, 0, 1, true },
        { 5, 6, 8, false },
        { 5, 5, 5, true },
        { 5, 5, 4, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        image_make(&image, 5);
        check->n_pages = cases[i].n_pages;
        check->n_fixed_pages = cases[i].n_fixed;
        check->n_memory_pages = cases[i].n_memory;
        image_sign(&image);
        assert_int_equal(image_check_valid(check), cases[i].sound);
    }
    image_make(&image, 5);
    check->magic ^= UINT64_C(1) << 56;
    image_sign(&image);
    assert_false(image_check_valid(check));
}

/* The first page of another build is sound, but not this image's. */
TEST(another_builds_table)
{
    static union image other;

    image_make(&image, 6);
    image_make(&other, 7);
    assert_true(image_check_page(check, &image, 0));
    assert_false(image_check_page(check, &other, 0));
}
