// SPDX-License-Identifier: MIT
#include "take_pages.h"

#include <efi.h>
#include <efilib.h>

#include "lib/minmax.h"
#include "lib/string.h"

/* As Linux declares it; a link of the list is within one page. */
struct memreserve {
    int32_t size; /* entries that there is room for */
    int32_t count;
    uint64_t next; /* 0: none */
    struct {
        uint64_t base, bytes;
    } entry[GUARD_LINUX_RUNS];
};
_Static_assert(sizeof(struct memreserve) == 16 + 16 * GUARD_LINUX_RUNS, "no padding");

static struct memreserve *table;

static uint64_t installed(EFI_GUID *guid)
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++) {
        if (memcmp(&ST->ConfigurationTable[i].VendorGuid, guid, sizeof(*guid)) == 0)
            return (uintptr_t)ST->ConfigurationTable[i].VendorTable;
    }
    return 0;
}

/*
 * The table of another program, if there is one, follows it. It is in memory that no system uses.
 */
static EFI_STATUS make(void)
{
    static EFI_GUID guid = {
        0x888eb0c6, 0x8ede, 0x4ff5, { 0xa8, 0xf0, 0x9a, 0xee, 0x5c, 0xb9, 0x77, 0xc2 }
    };
    EFI_PHYSICAL_ADDRESS page;
    EFI_STATUS status = BS->AllocatePages(AllocateAnyPages, EfiACPIReclaimMemory, 1, &page);

    if (EFI_ERROR(status))
        return status;
    table = (struct memreserve *)(UINTN)page;
    *table = (struct memreserve){ .size = GUARD_LINUX_RUNS, .next = installed(&guid) };
    status = BS->InstallConfigurationTable(&guid, table);
    if (EFI_ERROR(status)) {
        BS->FreePages(page, 1);
        table = NULL;
    }
    return status;
}

/* How many more runs Linux has room for. */
static int32_t max_runs_with(uint32_t n_masked_runs)
{
    uint32_t left = n_masked_runs < GUARD_LINUX_RUNS_ALL ? GUARD_LINUX_RUNS_ALL - n_masked_runs : 0;

    return (int32_t)min_u64(left, GUARD_LINUX_RUNS);
}

uint64_t guard_linux_table_set(const struct guard_list *runs, uint32_t n_masked_runs)
{
    int32_t max_runs = max_runs_with(n_masked_runs);
    struct guard_reader reader = guard_list_read(runs);
    struct guard_run run;
    uint64_t n_pages = 0;

    if (!table && (!runs->head.n_runs || EFI_ERROR(make())))
        return 0;
    table->count = 0;
    while (table->count < max_runs && guard_reader_next(&reader, &run)) {
        table->entry[table->count].base = run.first << EFI_PAGE_SHIFT;
        table->entry[table->count++].bytes = run.n << EFI_PAGE_SHIFT;
        n_pages += run.n;
    }
    return n_pages;
}
