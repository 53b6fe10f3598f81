// SPDX-License-Identifier: MIT
#include "boot/guard/memory.h"

#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "tests/unit/unit.h"

#define STEP     48 /* bytes of a descriptor of this firmware */
#define WB       EFI_MEMORY_WB
#define NV       (UINT64_C(1) << 15)
#define SPECIFIC (UINT64_C(1) << 18)

static const struct {
    UINT32 type;
    UINT64 first, n, attributes;
} map[] = {
    { EfiBootServicesCode, 0, 1, WB },
    { EfiConventionalMemory, 0x100000, 0x1000, WB },
    { EfiConventionalMemory, 1, 0x9f, WB },
    { EfiLoaderData, 0x100, 8, WB },
    { EfiReservedMemoryType, 0x108, 8, WB },
    { EfiUnusableMemory, 0x110, 1, WB },
    { EfiACPIReclaimMemory, 0x111, 2, WB },
    { EfiACPIMemoryNVS, 0x113, 3, WB },
    { EfiRuntimeServicesData, 0x116, 4, WB | EFI_MEMORY_RUNTIME },
    { EfiMemoryMappedIO, 0xfec00, 1, EFI_MEMORY_RUNTIME },
    { EfiConventionalMemory, 0x200000, 0x10, WB | SPECIFIC },
    { EfiConventionalMemory, 0x300000, 0x10, WB | NV },
    { 14, 0x400000, 0x10, WB }, /* persistent */
    { EfiConventionalMemory, UINT64_MAX >> 12, 5, WB },
};

static const struct guard_piece expected[] = {
    { 0, 1, GUARD_HELD },         { 1, 0x9f, GUARD_FREE },          { 0x100, 8, GUARD_HELD },
    { 0x110, 1, GUARD_UNUSABLE }, { 0x111, 2, GUARD_KEPT },         { 0x113, 3, GUARD_KEPT },
    { 0x116, 4, GUARD_KEPT },     { 0x100000, 0x1000, GUARD_FREE }, { 0x200000, 0x10, GUARD_FREE },
};

static unsigned held_buffers;
static EFI_STATUS map_status, allocate_status;

static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *out, UINTN *key,
                                        UINTN *step, UINT32 *version)
{
    UINTN room = *size;

    *size = COUNT(map) * STEP;
    *step = STEP;
    if (room < *size)
        return EFI_BUFFER_TOO_SMALL;
    for (size_t i = 0; i < COUNT(map); i++) {
        EFI_MEMORY_DESCRIPTOR d = { .Type = map[i].type,
                                    .PhysicalStart = map[i].first << EFI_PAGE_SHIFT,
                                    .NumberOfPages = map[i].n,
                                    .Attribute = map[i].attributes };

        memcpy((uint8_t *)out + i * STEP, &d, sizeof(d));
    }
    return map_status;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *address)
{
    if (EFI_ERROR(allocate_status))
        return allocate_status;
    *address = (uintptr_t)aligned_alloc(EFI_PAGE_SIZE, n * EFI_PAGE_SIZE);
    held_buffers++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN n)
{
    free((void *)(uintptr_t)address);
    held_buffers--;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .GetMemoryMap = get_memory_map,
                                      .AllocatePages = allocate_pages,
                                      .FreePages = free_pages };
EFI_BOOT_SERVICES *BS = &services;

bool firmware_tables_open_smbios(struct smbios *ret_smbios)
{
    return false;
}

TEST(reads_pieces)
{
    struct guard_fingerprint machine;
    struct guard_memory memory;
    uint64_t pages = 0;

    assert_int_equal(guard_memory_read(&memory), EFI_SUCCESS);
    assert_int_equal(memory.pieces.n, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct guard_piece *p = &memory.pieces.piece[i];

        assert_true(p->first == expected[i].first && p->n == expected[i].n);
        assert_int_equal(p->use, expected[i].use);
        pages += p->n;
    }
    guard_memory_machine(&memory, &machine);
    assert_int_equal(machine.ram_bytes, pages * EFI_PAGE_SIZE);
    assert_int_equal(machine.n_modules, 0);
    guard_memory_free(&memory);
    assert_int_equal(held_buffers, 0);
}

TEST(passes_on_what_fails)
{
    struct guard_memory memory;

    map_status = EFI_DEVICE_ERROR;
    assert_int_equal(guard_memory_read(&memory), EFI_DEVICE_ERROR);
    map_status = EFI_SUCCESS;
    allocate_status = EFI_OUT_OF_RESOURCES;
    assert_int_equal(guard_memory_read(&memory), EFI_OUT_OF_RESOURCES);
    allocate_status = EFI_SUCCESS;
    assert_int_equal(held_buffers, 0);
}
