// SPDX-License-Identifier: MIT
/* The bad pages that a loader has found, for boot_info.h's list. */
#pragma once

#include <stddef.h>

#include "boot/boot_info.h"
#include "lib/span.h"
#include "lib/string.h"

struct bad_pages {
    uint64_t page[BOOT_BAD_PAGES_MAX]; /* physical addresses */
    uint32_t n;
};
_Static_assert(offsetof(struct bad_pages, n) == 8 * BOOT_BAD_PAGES_MAX,
               "32-bit code, which aligns less, hands it to 64-bit code");

/* Adds the page that holds addr, unless it is there or the list is full. */
static inline void bad_pages_add(struct bad_pages *bad, uint64_t addr)
{
    uint64_t page = align_down(addr, PAGE_SIZE);

    for (uint32_t i = 0; i < bad->n; i++) {
        if (bad->page[i] == page)
            return;
    }
    if (bad->n < BOOT_BAD_PAGES_MAX)
        bad->page[bad->n++] = page;
}

/* Writes the list to the boot information. */
static inline void bad_pages_store(const struct bad_pages *bad, struct boot_info *info)
{
    info->n_bad_pages = bad->n;
    memcpy(info->bad_page, bad->page, bad->n * sizeof(bad->page[0]));
}
