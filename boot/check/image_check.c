// SPDX-License-Identifier: MIT
#include "boot/check/image_check.h"

#include "boot/boot_info.h"
#include "lib/crc32c.h"
#include "lib/crc32c_fast.h"

bool image_check_valid(const struct image_check *check)
{
    return check->magic == IMAGE_CHECK_MAGIC &&
           crc32c(check, offsetof(struct image_check, own_crc)) == check->own_crc &&
           check->n_pages && check->n_pages <= IMAGE_CHECK_PAGES_MAX &&
           check->n_fixed_pages <= check->n_pages && check->n_pages <= check->n_memory_pages &&
           check->n_memory_pages <= BOOT_KERNEL_PAGES_MAX;
}

/* Of a page. Without the instruction by nibbles: the stub's stack has no room for a table. */
static uint32_t sum_of(const void *page)
{
    return crc32c_of(crc32c_has_instruction() ? crc32c_by_instruction : crc32c_by_nibbles, page,
                     IMAGE_PAGE);
}

bool image_check_page(const struct image_check *check, const void *bytes, uint32_t page)
{
    const struct image_check *first = bytes;

    if (page)
        return sum_of(bytes) == check->crc[page];
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
