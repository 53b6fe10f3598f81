// SPDX-License-Identifier: MIT
/*
 * One kernel image out of several copies, any of which faulty memory may have damaged: each page is
 * taken from a copy whose checksum is right. Pure.
 */
#pragma once

#include "boot/check/image_check.h"
#include "lib/status.h"

#define IMAGE_COPIES_MAX 4

struct image_copy {
    const uint8_t *bytes;
    uint64_t size; /* bytes that may be read there */
};

struct image_copies {
    const struct image_check *check; /* a valid one, of the first copy that has it */
    struct image_copy copy[IMAGE_COPIES_MAX];
    uint32_t n_copies;
};

/*
 * Checks n possible copies: those too short for an image are ignored.
 * STATUS_INVALID: none has a valid table.
 */
enum status image_copies_open(const struct image_copy *copy, uint32_t n,
                              struct image_copies *ret_copies);

/* An undamaged copy of that page, of the first copy that has one; NULL: there is none. */
const uint8_t *image_copies_page(const struct image_copies *copies, uint32_t page);

/* The first page that is damaged in every copy; check->n_pages: there is none. */
uint32_t image_copies_first_lost(const struct image_copies *copies);

/*
 * Writes a page of the image (0 to n_memory_pages - 1) to `to`, which is not a part of a copy; bss
 * is zero. False: no copy of it is intact, and nothing is written.
 */
bool image_copies_place(const struct image_copies *copies, uint32_t page, uint8_t *to);
