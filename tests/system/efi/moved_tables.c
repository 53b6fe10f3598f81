// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with ACPI's and SMBIOS's tables in boot services' memory, the lowest that is
 * free from 1 MiB on. Where they were, nothing is left of them.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define PAGE   4096u
#define PAGES  64u
#define FIRST  0x100000u
#define LAST   0x4000000u
#define SUM    9 /* of any table of ACPI */
#define DSDT   40
#define X_DSDT 140
#define HEADER 36u

static UINT8 *next, *end;

static BOOLEAN take_pages(void)
{
    for (EFI_PHYSICAL_ADDRESS at = FIRST; at < LAST; at += PAGE) {
        if (EFI_ERROR(BS->AllocatePages(AllocateAddress, EfiBootServicesData, PAGES, &at)))
            continue;
        next = (UINT8 *)(UINTN)at;
        end = next + PAGES * PAGE;
        return TRUE;
    }
    return FALSE;
}

static UINT32 get32(const UINT8 *at)
{
    return *(const UINT32 *)at;
}

static UINT64 get64(const UINT8 *at)
{
    return (UINT64)get32(at + 4) << 32 | get32(at);
}

static void put64(UINT8 *at, const void *pointer)
{
    UINT64 value = (UINTN)pointer;

    CopyMem(at, &value, sizeof(value));
}

static void seal(UINT8 *bytes, UINTN n, UINTN sum_at)
{
    UINT8 sum = 0;

    bytes[sum_at] = 0;
    for (UINTN i = 0; i < n; i++)
        sum += bytes[i];
    bytes[sum_at] = (UINT8)-sum;
}

/* NULL: there is no room. */
static UINT8 *move(const void *from, UINTN n)
{
    UINT8 *to = next;

    if (n > (UINTN)(end - next))
        return NULL;
    CopyMem(to, (void *)from, n);
    SetMem((void *)from, n, 0xff);
    next += (n + 15) & ~(UINTN)15;
    return to;
}

static UINT8 *move_table(const UINT8 *table)
{
    return move(table, get32(table + 4));
}

static BOOLEAN move_dsdt(UINT8 *fadt)
{
    UINT32 length = get32(fadt + 4);
    UINT64 x = length >= X_DSDT + 8 ? get64(fadt + X_DSDT) : 0;
    UINT8 *dsdt = move_table((const UINT8 *)(UINTN)(x ? x : get32(fadt + DSDT)));
    UINT32 low = (UINT32)(UINTN)dsdt;

    CopyMem(fadt + DSDT, &low, sizeof(low));
    if (length >= X_DSDT + 8)
        put64(fadt + X_DSDT, dsdt);
    seal(fadt, length, SUM);
    return dsdt != NULL;
}

static UINT8 *move_list(const UINT8 *xsdt)
{
    UINT8 *list = move_table(xsdt);
    UINT32 length = list ? get32(list + 4) : 0;

    for (UINT32 at = HEADER; at + 8 <= length; at += 8) {
        UINT8 *table = move_table((const UINT8 *)(UINTN)get64(list + at));

        if (!table || (CompareMem(table, "FACP", 4) == 0 && !move_dsdt(table)))
            return NULL;
        put64(list + at, table);
    }
    if (list)
        seal(list, length, SUM);
    return list;
}

static BOOLEAN move_acpi(EFI_GUID *guid, const UINT8 *from)
{
    UINT8 *list = move_list((const UINT8 *)(UINTN)get64(from + 24));
    UINT8 *rsdp = move(from, 36);

    if (!list || !rsdp)
        return FALSE;
    SetMem(rsdp + 16, 4, 0); /* no RSDT */
    put64(rsdp + 24, list);
    seal(rsdp, 20, 8);
    seal(rsdp, 36, 32);
    return !EFI_ERROR(BS->InstallConfigurationTable(guid, rsdp));
}

static BOOLEAN move_smbios3(EFI_GUID *guid, const UINT8 *from)
{
    UINT8 *structures = move((const UINT8 *)(UINTN)get64(from + 16), get32(from + 12));
    UINT8 *entry = move(from, 24);

    if (!structures || !entry)
        return FALSE;
    put64(entry + 16, structures);
    seal(entry, 24, 5);
    return !EFI_ERROR(BS->InstallConfigurationTable(guid, entry));
}

static BOOLEAN move_smbios2(EFI_GUID *guid, const UINT8 *from)
{
    UINT8 *structures = move((const UINT8 *)(UINTN)get32(from + 24), *(const UINT16 *)(from + 22));
    UINT8 *entry = move(from, 31);
    UINT32 low = (UINT32)(UINTN)structures;

    if (!structures || !entry)
        return FALSE;
    CopyMem(entry + 24, &low, sizeof(low));
    seal(entry + 16, 15, 5);
    seal(entry, 31, 4);
    return !EFI_ERROR(BS->InstallConfigurationTable(guid, entry));
}

static BOOLEAN move_by_guid(EFI_GUID guid, BOOLEAN (*mover)(EFI_GUID *guid, const UINT8 *from))
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++) {
        if (CompareMem(&ST->ConfigurationTable[i].VendorGuid, &guid, sizeof(guid)) == 0)
            return mover(&guid, ST->ConfigurationTable[i].VendorTable);
    }
    return TRUE;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    InitializeLib(image, system_table);
    if (!take_pages() || !move_by_guid((EFI_GUID)ACPI_20_TABLE_GUID, move_acpi) ||
        !move_by_guid((EFI_GUID)SMBIOS3_TABLE_GUID, move_smbios3) ||
        !move_by_guid((EFI_GUID)SMBIOS_TABLE_GUID, move_smbios2))
        return EFI_OUT_OF_RESOURCES;
    return start_okram(image);
}
