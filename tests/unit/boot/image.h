// SPDX-License-Identifier: MIT
/* What tests of image copies share: a small image with its table of checksums. */
#pragma once

#include "boot/check/image_check.h"
#include "lib/crc32c.h"
#include "tests/unit/unit.h"

#define IMAGE_PAGES        5
#define IMAGE_FIXED_PAGES  3
#define IMAGE_MEMORY_PAGES 8
#define IMAGE_BOOT_INFO    5

union image {
    _Alignas(4096) uint8_t byte[IMAGE_PAGES * IMAGE_PAGE];
    uint8_t page[IMAGE_PAGES][IMAGE_PAGE];
    struct image_check check;
};

static inline void image_sign(union image *image)
{
    struct image_check *check = &image->check;

    check->own_crc = crc32c(check, offsetof(struct image_check, own_crc));
}

static inline void image_make(union image *image, unsigned seed)
{
    struct image_check *check = &image->check;

    srand(seed);
    for (size_t i = 0; i < sizeof(*image); i++)
        image->byte[i] = (uint8_t)rand();
    memset(check, 0, sizeof(*check));
    check->magic = IMAGE_CHECK_MAGIC;
    check->n_pages = IMAGE_PAGES;
    check->n_fixed_pages = IMAGE_FIXED_PAGES;
    check->n_memory_pages = IMAGE_MEMORY_PAGES;
    check->boot_info = IMAGE_BOOT_INFO;
    for (uint32_t i = 1; i < IMAGE_PAGES; i++)
        check->crc[i] = crc32c(image->page[i], IMAGE_PAGE);
    image_sign(image);
}
