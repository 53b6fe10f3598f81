// SPDX-License-Identifier: MIT
/*
 * UEFI firmware for tests of the loader: it has free pages below 4 GiB of which no two adjoin, or
 * all do, and its memory map grows with each allocation.
 */
#pragma once

#define _GNU_SOURCE
#include <sys/mman.h>

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

#define DESCRIPTOR_BYTES 48
#define FIRMWARE_PAGES   16384

static struct {
    uint8_t *memory;
    UINTN taken;    /* pages of it, from its end down */
    bool scattered; /* every other page is somebody else's */
    UINTN n_descriptors, descriptors_an_allocation;
    EFI_STATUS map_status;
    unsigned prints, maps;
    bool exit_called; /* from then on only the memory services may be called */
} firmware;

UINTN Print(IN CONST CHAR16 *format, ...)
{
    assert_false(firmware.exit_called);
    firmware.prints++;
    return 0;
}

static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                        UINTN *descriptor_bytes, UINT32 *version)
{
    UINTN needed = firmware.n_descriptors * DESCRIPTOR_BYTES;
    bool fits = needed <= *size;

    *size = needed;
    *descriptor_bytes = DESCRIPTOR_BYTES;
    *version = 1;
    if (!fits)
        return EFI_BUFFER_TOO_SMALL;
    firmware.maps++;
    *key = firmware.maps;
    memset(map, 0, needed);
    return firmware.map_status;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(type, AllocateMaxAddress);
    if ((firmware.scattered && n > 1) || firmware.taken + n + 1 > FIRMWARE_PAGES)
        return EFI_OUT_OF_RESOURCES;
    firmware.taken += n + firmware.scattered;
    firmware.n_descriptors += firmware.descriptors_an_allocation;
    *address = (uintptr_t)firmware.memory + (FIRMWARE_PAGES - firmware.taken) * EFI_PAGE_SIZE;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = {
    .GetMemoryMap = get_memory_map,
    .AllocatePages = allocate_pages,
};
EFI_BOOT_SERVICES *BS = &services;

static inline void firmware_make(void)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.n_descriptors = 100;
    firmware.memory = mmap(NULL, FIRMWARE_PAGES * (size_t)EFI_PAGE_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(firmware.memory, MAP_FAILED);
}

static inline void firmware_free(void)
{
    munmap(firmware.memory, FIRMWARE_PAGES * (size_t)EFI_PAGE_SIZE);
}

/* As a test's teardown. */
static inline int firmware_free_after(void **state)
{
    firmware_free();
    return 0;
}
