// SPDX-License-Identifier: MIT
#include "fake_firmware.h"

#include "boot/uefi/ia32/handover.c" /* the buffer, which it finds */
#include "faulty.h"

#define PAGES  2
#define PIECES 16 /* that are tried */

static struct bad_pages bad;

/* Firmware whose memory has these bad pages, counted from its end. */
static uint8_t *find(const size_t *bad_page, size_t n)
{
    static struct faulty_cell cell[FAULTS_MAX];
    const size_t bytes = FIRMWARE_PAGES * (size_t)EFI_PAGE_SIZE;

    for (size_t i = 0; i < n; i++)
        cell[i] =
            (struct faulty_cell){ STUCK1, (bytes - bad_page[i] * EFI_PAGE_SIZE + 100) * 8 + 3, 0 };
    firmware_make();
    firmware_free();
    firmware.memory = faulty_make(bytes, cell, n);
    bad.n = 0;
    return map_buffer_find(PAGES, &bad);
}

static void assert_found(const uint8_t *buffer, size_t piece)
{
    assert_ptr_equal(buffer,
                     firmware.memory + (FIRMWARE_PAGES - piece * PAGES) * (size_t)EFI_PAGE_SIZE);
    faulty_free();
}

TEST(the_first_piece)
{
    assert_found(find(NULL, 0), 1);
    assert_int_equal(bad.n, 0);
}

/* The first and the last page of a piece, and two of one. */
TEST(pieces_with_bad_pages)
{
    const uint8_t *buffer = find((const size_t[]){ 2, 3, 5, 6 }, 4);

    assert_int_equal(bad.n, 4);
    assert_int_equal(bad.page[0],
                     (uintptr_t)firmware.memory + (FIRMWARE_PAGES - 2) * (size_t)EFI_PAGE_SIZE);
    assert_found(buffer, 4);
}

/* An end, and no search for ever. */
TEST(no_good_piece, NULL, faulty_free_after)
{
    size_t page[PIECES];

    for (size_t i = 0; i < PIECES; i++)
        page[i] = 1 + i * PAGES;
    assert_null(find(page, PIECES));
    assert_int_equal(firmware.taken, PIECES * PAGES);
}

TEST(no_more_memory, NULL, firmware_free_after)
{
    firmware_make();
    firmware.taken = FIRMWARE_PAGES - PAGES;
    assert_null(map_buffer_find(PAGES, &bad));
}
