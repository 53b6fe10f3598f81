// SPDX-License-Identifier: MIT
#include "boot/check/image_copies.h"

#include "lib/string.h"

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
