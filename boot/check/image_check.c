// SPDX-License-Identifier: MIT
#include "boot/check/image_check.h"

#include "boot/boot_info.h"
#include "lib/crc32c.h"

bool image_check_valid(const struct image_check *check)
{
    return check->magic == IMAGE_CHECK_MAGIC &&
           crc32c(check, offsetof(struct image_check, own_crc)) == check->own_crc &&
           check->n_pages && check->n_pages <= IMAGE_CHECK_PAGES_MAX &&
           check->n_fixed_pages <= check->n_pages && check->n_pages <= check->n_memory_pages &&
           check->n_memory_pages <= BOOT_KERNEL_PAGES_MAX;
}

bool image_check_page(const struct image_check *check, const void *bytes, uint32_t page)
{
    const struct image_check *first = bytes;

    if (page)
        return crc32c(bytes, IMAGE_PAGE) == check->crc[page];
    return image_check_valid(first) && first->own_crc == check->own_crc;
}

uint32_t image_check_pages(const struct image_check *check, const void *image, uint32_t n_pages,
                           uint32_t *ret_bad, uint32_t max)
{
    const uint8_t *at = image;
    uint32_t n = 0;

    for (uint32_t page = 0; page < n_pages; page++, at += IMAGE_PAGE) {
        if (image_check_page(check, at, page))
            continue;
        if (n < max)
            ret_bad[n] = page;
        n++;
    }
    return n;
}
