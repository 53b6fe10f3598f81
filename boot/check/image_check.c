// SPDX-License-Identifier: MIT
#include "boot/check/image_check.h"

#include "boot/boot_info.h"
#include "lib/crc32c.h"
#include "lib/status.h"
#include "lib/string.h"

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

static bool is_long_enough(const struct image_copy *copy, const struct image_check *check)
{
    return copy->size / IMAGE_PAGE >= check->n_pages;
}

enum status image_copies_open(const struct image_copy *copy, uint32_t n,
                              struct image_copies *ret_copies)
{
    const struct image_check *check = NULL;

    for (uint32_t i = 0; i < n && !check; i++) {
        if (copy[i].size >= IMAGE_PAGE && image_check_valid((const void *)copy[i].bytes))
            check = (const void *)copy[i].bytes;
    }
    if (!check)
        return STATUS_INVALID;
    ret_copies->check = check;
    ret_copies->n_copies = 0;
    for (uint32_t i = 0; i < n && ret_copies->n_copies < IMAGE_COPIES_MAX; i++) {
        if (is_long_enough(&copy[i], check))
            ret_copies->copy[ret_copies->n_copies++] = copy[i];
    }
    return STATUS_OK;
}

const uint8_t *image_copies_page(const struct image_copies *copies, uint32_t page)
{
    for (uint32_t i = 0; i < copies->n_copies; i++) {
        const uint8_t *bytes = copies->copy[i].bytes + page * IMAGE_PAGE;

        if (image_check_page(copies->check, bytes, page))
            return bytes;
    }
    return NULL;
}

uint32_t image_copies_first_lost(const struct image_copies *copies)
{
    uint32_t page = 0;

    while (page < copies->check->n_pages && image_copies_page(copies, page))
        page++;
    return page;
}

bool image_copies_place(const struct image_copies *copies, uint32_t page, uint8_t *to)
{
    const uint8_t *from;

    if (page >= copies->check->n_pages) {
        memset(to, 0, IMAGE_PAGE);
        return true;
    }
    from = image_copies_page(copies, page);
    if (from)
        memcpy(to, from, IMAGE_PAGE);
    return from;
}
