// SPDX-License-Identifier: MIT
#include "boot/load/early_tables.h"

#include "boot/boot_info.h"
#include "boot/load/pages.h"
#include "lib/string.h"

#define PRESENT UINT64_C(1)
#define WRITE   UINT64_C(2)
#define LARGE   (UINT64_C(1) << 7)
#define ENTRIES 512

#define LARGE_BYTES (UINT64_C(2) << 20)

enum table {
    FIFTH,
    FOURTH,
    DIRECT_THIRD,
    DIRECT_SECOND,                   /* a GiB each */
    IMAGE_THIRD = DIRECT_SECOND + 4, /* of BOOT_KERNEL_VIRT, the last 2 GiB */
    IMAGE_SECOND,
    IMAGE_FIRST,
    TABLES_END = IMAGE_FIRST + BOOT_KERNEL_PAGES_MAX / ENTRIES,
};
_Static_assert(TABLES_END == EARLY_TABLES, "entry.asm keeps room for them");

struct tables {
    const uint32_t *page; /* of the first table */
};

static uint64_t *entries(const struct tables *t, uint32_t table)
{
    return page_pointer(t->page[table]);
}

static uint64_t entry_of(uint32_t page)
{
    return ((uint64_t)page << PAGE_SHIFT) | PRESENT | WRITE;
}

static void link(const struct tables *t, uint32_t table, unsigned index, uint32_t below)
{
    entries(t, table)[index] = entry_of(t->page[below]);
}

static void map_direct(const struct tables *t)
{
    for (unsigned gib = 0; gib < 4; gib++) {
        uint64_t *entry = entries(t, DIRECT_SECOND + gib);

        link(t, DIRECT_THIRD, gib, DIRECT_SECOND + gib);
        for (uint64_t i = 0; i < ENTRIES; i++)
            entry[i] = ((gib * ENTRIES + i) * LARGE_BYTES) | PRESENT | WRITE | LARGE;
    }
}

static void map_image(const struct tables *t, const uint32_t *page, uint32_t n)
{
    link(t, IMAGE_THIRD, ENTRIES - 2, IMAGE_SECOND);
    for (unsigned i = 0; i < BOOT_KERNEL_PAGES_MAX / ENTRIES; i++)
        link(t, IMAGE_SECOND, i, IMAGE_FIRST + i);
    for (uint32_t i = 0; i < n; i++)
        entries(t, IMAGE_FIRST + i / ENTRIES)[i % ENTRIES] = entry_of(page[i]);
}

uint64_t early_tables_fill(const uint32_t *page, uint32_t n, uint32_t first,
                           const uint64_t *firmware, bool five_levels)
{
    const struct tables t = { page + first };
    enum table top = five_levels ? FIFTH : FOURTH;

    for (uint32_t i = 0; i < EARLY_TABLES; i++)
        memset(entries(&t, i), 0, PAGE_SIZE);
    map_direct(&t);
    map_image(&t, page, n);
    if (firmware)
        memcpy(entries(&t, top), firmware, PAGE_SIZE / 2);
    else
        link(&t, FOURTH, 0, DIRECT_THIRD);
    link(&t, FIFTH, ENTRIES - 1, FOURTH); /* 48-bit addresses are its first entry's or its last's */
    link(&t, FOURTH, ENTRIES / 2, DIRECT_THIRD);
    link(&t, FOURTH, ENTRIES - 1, IMAGE_THIRD);
    return (uint64_t)page[first + top] << PAGE_SHIFT;
}
