// SPDX-License-Identifier: MIT
#include "boot/load/bad_pages.h"

#include "lib/span.h"
#include "lib/string.h"

void bad_pages_add(struct bad_pages *bad, uint64_t addr)
{
    uint64_t page = align_down(addr, PAGE_SIZE);

    for (uint32_t i = 0; i < bad->n; i++) {
        if (bad->page[i] == page)
            return;
    }
    if (bad->n < BOOT_BAD_PAGES_MAX)
        bad->page[bad->n++] = page;
}

void bad_pages_store(const struct bad_pages *bad, struct boot_info *info)
{
    info->n_bad_pages = bad->n;
    memcpy(info->bad_page, bad->page, bad->n * sizeof(bad->page[0]));
}
