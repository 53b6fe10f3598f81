// SPDX-License-Identifier: MIT
#include "fake_firmware.h"

#include "boot/uefi/place_kernel.h"
#include "image.h"

static union image image;
static struct image_copies copies;
static struct bad_pages bad;
static struct placed_kernel placed;

static void open_image(void)
{
    const struct image_copy copy = { image.byte, sizeof(image) };

    image_make(&image, 21);
    bad.n = 0;
    assert_int_equal(image_copies_open(&copy, 1, &copies), STATUS_OK);
}

static EFI_STATUS place(void)
{
    open_image();
    return place_kernel(&copies, &bad, &placed);
}

static size_t buffer_bytes(void)
{
    return (placed.pages.n - IMAGE_MEMORY_PAGES) * (size_t)IMAGE_PAGE;
}

static void assert_placed(void)
{
    assert_int_equal(placed.pages.n, placed.pages.wanted);
    assert_int_equal(bad.n, 0);
    for (uint32_t i = 0; i < IMAGE_PAGES; i++)
        assert_memory_equal(page_pointer(placed.pages.page[i]), image.page[i], IMAGE_PAGE);
    /* What is allocated from here on finds room, too. */
    assert_true(buffer_bytes() >= (firmware.n_descriptors + 64) * DESCRIPTOR_BYTES);
}

TEST(one_block, NULL, firmware_free_after)
{
    firmware_make();
    firmware.descriptors_an_allocation = 2;
    assert_int_equal(place(), EFI_SUCCESS);
    assert_placed();
    assert_int_equal(firmware.taken, placed.pages.n);
}

/* 16 MiB are looked through for one piece, and each page taken splits the map once more. */
TEST(a_map_that_grows_as_pages_are_taken, NULL, firmware_free_after)
{
    firmware_make();
    firmware.scattered = true;
    firmware.descriptors_an_allocation = 2;
    assert_int_equal(place(), EFI_SUCCESS);
    assert_placed();
    assert_true(firmware.n_descriptors > 8000);
}

/* Another piece, where the first is too short. */
TEST(a_map_that_grows_by_one_block, NULL, firmware_free_after)
{
    firmware_make();
    firmware.descriptors_an_allocation = 80;
    assert_int_equal(place(), EFI_SUCCESS);
    assert_placed();
    for (uint32_t i = 1; i < placed.pages.n; i++)
        assert_int_equal(placed.pages.page[i], placed.pages.page[0] + i);
}

/* More than the kernel's page tables have room for: an end, and no search for ever. */
TEST(a_map_that_outgrows_every_buffer, NULL, firmware_free_after)
{
    firmware_make();
    firmware.descriptors_an_allocation = 30000;
    assert_int_equal(place(), EFI_BUFFER_TOO_SMALL);
}

TEST(no_more_pages, NULL, firmware_free_after)
{
    firmware_make();
    firmware.taken = FIRMWARE_PAGES - 5;
    assert_int_equal(place(), EFI_OUT_OF_RESOURCES);
    assert_int_equal(placed.pages.n, 4);
    assert_true(firmware.prints > 0);
}

/* It was there when it was opened. No page of memory counts as bad for it. */
TEST(no_intact_copy, NULL, firmware_free_after)
{
    firmware_make();
    open_image();
    image.page[3][17] ^= 4;
    assert_int_equal(place_kernel(&copies, &bad, &placed), EFI_CRC_ERROR);
    assert_int_equal(bad.n, 0);
    assert_true(firmware.prints > 0);
}

/* Across pages that do not adjoin, and from within one. */
TEST(writes_to_the_image)
{
    static const struct {
        size_t offset, size;
    } cases[] = {
        { 0, 1 },
        { 0, IMAGE_PAGE },
        { 1, 2 * IMAGE_PAGE + 5 },
        { IMAGE_PAGE - 1, 0 },
        { IMAGE_PAGE - 1, 1 },
        { IMAGE_PAGE - 1, 24 },
        { 3 * IMAGE_PAGE + 17, IMAGE_PAGE },
        { 3 * IMAGE_PAGE + 17, 2 * IMAGE_PAGE + 5 },
    };
    static uint8_t bytes[3 * IMAGE_PAGE];

    memset(bytes, 0xa5, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t offset = cases[i].offset, end = offset + cases[i].size;

        firmware_make();
        firmware.scattered = true;
        assert_int_equal(place(), EFI_SUCCESS);
        for (uint32_t page = 0; page < 6; page++)
            memset(page_pointer(placed.pages.page[page]), 0, IMAGE_PAGE);
        placed_write(&placed, offset, bytes, cases[i].size);
        for (size_t at = 0; at < 6 * IMAGE_PAGE; at++) {
            const uint8_t *page = page_pointer(placed.pages.page[at / IMAGE_PAGE]);
            uint8_t wanted = at >= offset && at < end ? 0xa5 : 0;

            if (page[at % IMAGE_PAGE] != wanted) /* an assertion a byte would take seconds */
                assert_int_equal(page[at % IMAGE_PAGE], wanted);
        }
        firmware_free();
    }
}

TEST(pages_that_adjoin, NULL, firmware_free_after)
{
    firmware_make();
    assert_int_equal(place(), EFI_SUCCESS);
    assert_true(placed_adjoin(&placed, 0));
    placed.pages.page[2]++;
    assert_false(placed_adjoin(&placed, 0));
    assert_false(placed_adjoin(&placed, 2));
    assert_true(placed_adjoin(&placed, 3));
    placed.pages.page[placed.pages.n - 1]--;
    assert_false(placed_adjoin(&placed, 3));
    assert_true(placed_adjoin(&placed, placed.pages.n - 1));
}
