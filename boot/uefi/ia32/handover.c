// SPDX-License-Identifier: MIT
/* 32-bit firmware: once the kernel runs, in 64-bit mode, it is no longer called. */
#include "boot/uefi/handover.h"

#include <efi.h>
#include <efilib.h>

#include "boot/load/bad_pages.h"
#include "boot/load/early_tables.h"
#include "boot/load/page_march.h"
#include "boot/long_mode/long_mode.h"

/* A buffer for the memory map where the pages after the kernel's image do not adjoin. */

#define BELOW_4_GIB UINT64_C(0xffffffff)
#define PIECES      16

static bool is_good(uint8_t *at, uint32_t n_pages, struct bad_pages *bad)
{
    bool good = true;

    for (uint32_t i = 0; i < n_pages; i++, at += PAGE_SIZE) {
        if (page_march_one(at)) {
            bad_pages_add(bad, (uintptr_t)at);
            good = false;
        }
    }
    return good;
}

/*
 * n_pages adjoining pages that have passed a march. bad: the bad pages found meanwhile. NULL:
 * firmware has none, or the first pieces of its memory all have bad pages. Pieces with bad pages
 * stay allocated, so that the next one is another.
 */
static uint8_t *map_buffer_find(uint32_t n_pages, struct bad_pages *bad)
{
    for (int i = 0; i < PIECES; i++) {
        EFI_PHYSICAL_ADDRESS base = BELOW_4_GIB;

        if (EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, n_pages, &base)))
            return NULL;
        if (is_good((uint8_t *)(uintptr_t)base, n_pages, bad))
            return (uint8_t *)(uintptr_t)base;
    }
    return NULL;
}

const char handover_loader[] = "okram-ia32.efi (32-bit UEFI)";

const char *handover_check(void)
{
    return cpu_check();
}

const char *handover_limits(void)
{
    return "This machine's UEFI is 32-bit, and okram's kernel, which is 64-bit, cannot call it: no "
           "report is kept in UEFI variables, and the machine is switched off by ACPI alone.";
}

uint64_t handover_system_table(void)
{
    return 0;
}

uint64_t handover_tables(const struct placed_kernel *placed)
{
    return early_tables_fill(placed->pages.page, placed->pages.n, placed->check->early_tables, NULL,
                             false);
}

/* After the image; or elsewhere, if the pages there do not adjoin. */
EFI_STATUS handover_map_buffer(const struct placed_kernel *placed, uint64_t root,
                               struct efi_map *ret_map)
{
    uint32_t first = placed->check->n_memory_pages, n = placed->pages.n - first;

    ret_map->capacity_bytes = n * IMAGE_PAGE;
    ret_map->buffer = placed_adjoin(placed, first) ? page_pointer(placed->pages.page[first])
                                                   : map_buffer_find(n, placed->pages.bad);
    return ret_map->buffer ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

_Noreturn void handover_enter(uint64_t root, uint32_t entry)
{
    enter_kernel((uint32_t)root, entry);
}
