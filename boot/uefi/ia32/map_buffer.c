// SPDX-License-Identifier: MIT
#include "boot/uefi/ia32/map_buffer.h"

#include <stdbool.h>

#include <efi.h>
#include <efilib.h>

#include "boot/load/page_march.h"

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

/* Pieces with bad pages stay allocated, so that the next one is another. */
uint8_t *map_buffer_find(uint32_t n_pages, struct bad_pages *bad)
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
