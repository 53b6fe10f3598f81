// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/load/good_pages.h"

#include "faulty.h"
#include "image.h"
#include "source.h"

#define WINDOW_PAGES 20
#define WANTED       (IMAGE_MEMORY_PAGES + 1) /* with something after the image */
#define PAGE(i)      ((i) * (size_t)IMAGE_PAGE)
#define CELL(page)                                                                                 \
    {                                                                                              \
        STUCK1, (PAGE(page) + 777) * 8 + 2, 0                                                      \
    }

static union image image, second;
static struct image_copies copies;
static struct bad_pages bad;
static struct good_pages pages;
static struct source source;

static enum status load_copy_into(const uint8_t *first, uint8_t *memory)
{
    const struct image_copy copy[] = {
        { first, sizeof(image) },
        { second.byte, sizeof(second) },
    };

    bad.n = 0;
    pages = (struct good_pages){ .wanted = WANTED, .bad = &bad };
    source_make(&source, memory, WINDOW_PAGES, 4);
    assert_int_equal(image_copies_open(copy, 2, &copies), STATUS_OK);
    return load_image(&copies, &pages, &source.source);
}

static enum status load_into(uint8_t *memory)
{
    return load_copy_into(image.byte, memory);
}

/* Each page is there, bss is zero, but for the list of them. */
static void assert_placed(void)
{
    uint32_t list = image.check.boot_info + BOOT_INFO_KERNEL_PAGE;

    assert_int_equal(pages.n, WANTED);
    for (uint32_t i = 0; i < IMAGE_PAGES; i++)
        assert_memory_equal(page_pointer(pages.page[i]), image.page[i], IMAGE_PAGE);
    for (uint32_t i = IMAGE_PAGES; i < IMAGE_MEMORY_PAGES; i++) {
        const uint8_t *page = page_pointer(pages.page[i]);

        for (size_t byte = 0; byte < IMAGE_PAGE && i != list; byte++)
            assert_int_equal(page[byte], 0);
    }
    assert_ptr_equal(page_pointer(pages.page[list]), pages.page);
}

TEST(sound_place, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(PAGE(WINDOW_PAGES), NULL, 0);

    image_make(&image, 15);
    second = image;
    second.page[4][0] ^= 1;
    assert_int_equal(load_into(memory), STATUS_OK);
    assert_int_equal(bad.n, 0);
    assert_placed();
    for (uint32_t i = 0; i < WANTED; i++)
        assert_ptr_equal(page_pointer(pages.page[i]), memory + PAGE(i));
}

/* Behind what is bad; nothing is put into a bad page. */
TEST(place_with_a_hole)
{
    static const size_t holes[] = { 3, WANTED - 1 };

    image_make(&image, 16);
    second = image;
    for (size_t i = 0; i < COUNT(holes); i++) {
        struct faulty_cell cell = CELL(holes[i]);
        uint8_t *memory = faulty_make(PAGE(WINDOW_PAGES), &cell, 1);

        assert_int_equal(load_into(memory), STATUS_OK);
        assert_int_equal(bad.n, 1);
        assert_int_equal(bad.page[0], (uintptr_t)memory + PAGE(holes[i]));
        assert_placed();
        assert_ptr_equal(page_pointer(pages.page[0]), memory + PAGE(holes[i] + 1));
        faulty_free();
    }
}

TEST(holes_everywhere, NULL, faulty_free_after)
{
    static struct faulty_cell cells[WINDOW_PAGES / 2];
    uint8_t *memory;

    image_make(&image, 18);
    second = image;
    for (size_t i = 0; i < COUNT(cells); i++)
        cells[i] = (struct faulty_cell)CELL(2 * i);
    memory = faulty_make(PAGE(WINDOW_PAGES), cells, COUNT(cells));
    assert_int_equal(load_into(memory), STATUS_OK);
    assert_placed();
    for (uint32_t i = 0; i < WANTED; i++)
        assert_ptr_equal(page_pointer(pages.page[i]), memory + PAGE(2 * i + 1));
}

/* No good page counts as bad for it. */
TEST(image_that_is_damaged_in_all_copies, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(PAGE(WINDOW_PAGES), NULL, 0);

    image_make(&image, 17);
    second = image;
    image.page[2][5] ^= 1;
    second.page[2][5] ^= 1;
    assert_int_equal(load_into(memory), STATUS_INVALID);
    assert_int_equal(bad.n, 0);
    assert_int_equal(pages.n_bad, 0);
}

/*
 * Of the first copy a bit on either side of what was just written turns over while its page is
 * being copied, upwards or downwards as memcpy pleases. What arrives is damaged; the page that it
 * was copied to is good.
 */
TEST(copy_that_is_damaged_as_it_is_read, NULL, faulty_free_after)
{
    const size_t page = 4, written = 2048, copied = WINDOW_PAGES + page;
    const struct faulty_cell cells[] = {
        { INVERT, (PAGE(page) + written) * 8, (PAGE(copied) + 1024) * 8 },
        { INVERT, (PAGE(page) + written) * 8, (PAGE(copied) + 3072) * 8 },
    };
    uint8_t *memory = faulty_make(PAGE(WINDOW_PAGES + IMAGE_PAGES), cells, COUNT(cells));

    image_make(&image, 19);
    image.page[page][written] |= 1; /* the march leaves 0 there */
    image.check.crc[page] = crc32c(image.page[page], IMAGE_PAGE);
    image_sign(&image);
    second = image;
    memcpy(memory + PAGE(WINDOW_PAGES), image.byte, sizeof(image));
    assert_int_equal(load_copy_into(memory + PAGE(WINDOW_PAGES), memory), STATUS_OK);
    assert_int_equal(bad.n, 0);
    assert_placed();
    for (uint32_t i = 0; i < WANTED; i++)
        assert_ptr_not_equal(page_pointer(pages.page[i]), memory + PAGE(page));
}
