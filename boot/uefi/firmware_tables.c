// SPDX-License-Identifier: MIT
#include "firmware_tables.h"

#include <efi.h>
#include <efilib.h>

static uint64_t find(EFI_GUID guid)
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &ST->ConfigurationTable[i];

        if (CompareMem(&table->VendorGuid, &guid, sizeof(guid)) == 0)
            return (uint64_t)table->VendorTable;
    }
    return 0;
}

uint64_t firmware_tables_rsdp(void)
{
    uint64_t rsdp = find((EFI_GUID)ACPI_20_TABLE_GUID);

    return rsdp ? rsdp : find((EFI_GUID)ACPI_TABLE_GUID);
}

uint64_t firmware_tables_smbios(void)
{
    uint64_t smbios = find((EFI_GUID)SMBIOS3_TABLE_GUID);

    return smbios ? smbios : find((EFI_GUID)SMBIOS_TABLE_GUID);
}
