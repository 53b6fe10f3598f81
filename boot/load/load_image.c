// SPDX-License-Identifier: MIT
#include "boot/load/load_image.h"

#include "boot/load/page_march.h"
#include "lib/string.h"

/* Moves the list to its page of the image; the page that it was in is then one like the others. */
static uint32_t move_list(const struct image_check *check, struct good_pages *c)
{
    uint32_t index = check->boot_info + BOOT_INFO_KERNEL_PAGE;
    uint32_t *to = page_pointer(c->page[index]);

    if (to != c->page)
        memcpy(to, c->page, PAGE_SIZE);
    c->page = to;
    return index;
}

/* False: of one page no copy is intact any more. */
static bool place(const struct image_copies *copies, const struct good_pages *c, uint32_t list)
{
    for (uint32_t i = 0; i < copies->check->n_memory_pages; i++) {
        if (i != list && !image_copies_place(copies, i, page_pointer(c->page[i])))
            return false;
    }
    for (uint32_t i = 0; i < c->n; i++)
        page_march_flush(page_pointer(c->page[i]), PAGE_SIZE);
    return true;
}

/* Removes the pages that do not hold what they should. */
static bool is_placed(const struct image_copies *copies, struct good_pages *c)
{
    uint32_t n = c->n;

    for (uint32_t i = copies->check->n_pages; i-- > 0;) {
        if (!image_check_page(copies->check, page_pointer(c->page[i]), i))
            good_pages_retest(c, i);
    }
    return c->n == n;
}

enum status load_image(const struct image_copies *copies, struct good_pages *c,
                       const struct page_source *source)
{
    while (good_pages_find(c, source) == STATUS_OK) {
        if (!place(copies, c, move_list(copies->check, c)))
            return STATUS_INVALID;
        if (is_placed(copies, c))
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}
