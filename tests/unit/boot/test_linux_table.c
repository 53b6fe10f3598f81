// SPDX-License-Identifier: MIT
#include "boot/guard/take_pages.h"

#include "../guardlist/samples.h"

#include <efi.h>
#include <efilib.h>

#define ROOM 4096

static _Alignas(4096) uint8_t page[4096];
static uint8_t bytes[ROOM];
static EFI_CONFIGURATION_TABLE tables[4];
static EFI_SYSTEM_TABLE system_table = { .ConfigurationTable = tables };
static unsigned allocations;

/* As Linux reads it (include/linux/efi.h). */
struct seen {
    int32_t size, count;
    uint64_t next;
    struct {
        uint64_t base, bytes;
    } entry[];
};

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(type, AllocateAnyPages);
    assert_int_equal(memory_type, EfiACPIReclaimMemory);
    assert_int_equal(n, 1);
    allocations++;
    *address = (uintptr_t)page;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI install(EFI_GUID *guid, VOID *table)
{
    tables[1].VendorGuid = *guid;
    tables[1].VendorTable = table;
    system_table.NumberOfTableEntries = 2;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .AllocatePages = allocate_pages,
                                      .InstallConfigurationTable = install };
EFI_BOOT_SERVICES *BS = &services;
EFI_SYSTEM_TABLE *ST = &system_table;

static uint64_t set_beside(const struct guard_run *run, size_t n, uint32_t n_masked_runs)
{
    struct guard_list list;
    const char *why;

    assert_int_equal(guard_list_open(bytes, make_list(run, n, bytes, ROOM), &list, &why),
                     STATUS_OK);
    return guard_linux_table_set(&list, n_masked_runs);
}

static uint64_t set(const struct guard_run *run, size_t n)
{
    return set_beside(run, n, 0);
}

/* In one test: the table stays where it was made. */
TEST(holds_the_runs)
{
    static const EFI_GUID expected = {
        0x888eb0c6, 0x8ede, 0x4ff5, { 0xa8, 0xf0, 0x9a, 0xee, 0x5c, 0xb9, 0x77, 0xc2 }
    };
    static const struct guard_run runs[] = { { 5, 1 }, { 0x12345, 3 } };
    struct guard_run many[GUARD_LINUX_RUNS + 5];
    const struct seen *seen = (const void *)page;

    assert_int_equal(set(runs, 0), 0); /* no table is made for nothing */
    assert_int_equal(allocations, 0);

    tables[0].VendorGuid = expected; /* somebody else's: it stays valid, after ours */
    tables[0].VendorTable = tables;
    system_table.NumberOfTableEntries = 1;
    assert_int_equal(set(runs, 2), 4);
    assert_memory_equal(&tables[1].VendorGuid, &expected, sizeof(expected));
    assert_ptr_equal(tables[1].VendorTable, page);
    assert_int_equal(seen->next, (uintptr_t)tables);
    assert_int_equal(seen->size, GUARD_LINUX_RUNS);
    assert_int_equal(seen->count, 2);
    assert_int_equal(seen->entry[0].base, 0x5000);
    assert_int_equal(seen->entry[0].bytes, 0x1000);
    assert_int_equal(seen->entry[1].base, 0x12345000);
    assert_int_equal(seen->entry[1].bytes, 0x3000);

    for (unsigned i = 0; i < GUARD_LINUX_RUNS + 5; i++)
        many[i] = (struct guard_run){ 10 * i, 2 };
    assert_int_equal(set(many, GUARD_LINUX_RUNS + 5), 2 * GUARD_LINUX_RUNS);
    assert_int_equal(seen->count, GUARD_LINUX_RUNS);
    /* 64 with those that are masked. */
    assert_int_equal(set_beside(many, GUARD_LINUX_RUNS + 5, 16), 2 * 48);
    assert_int_equal(set_beside(many, GUARD_LINUX_RUNS + 5, 17), 2 * 47);
    assert_int_equal(set_beside(many, GUARD_LINUX_RUNS + 5, 63), 2);
    assert_int_equal(set_beside(many, GUARD_LINUX_RUNS + 5, 64), 0);
    assert_int_equal(set_beside(many, GUARD_LINUX_RUNS + 5, UINT32_MAX), 0);
    assert_int_equal(set(runs, 1), 1);
    assert_int_equal(seen->count, 1);
    assert_int_equal(set(runs, 0), 0);
    assert_int_equal(seen->count, 0);
    assert_int_equal(allocations, 1);
}
