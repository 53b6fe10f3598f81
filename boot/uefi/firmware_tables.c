// SPDX-License-Identifier: MIT
#include "firmware_tables.h"

#include <efi.h>
#include <efilib.h>

#include "lib/string.h"

struct rt_properties {
    uint16_t version, length;
    uint32_t services;
};

static uint64_t find(EFI_GUID guid)
{
    for (UINTN i = 0; i < ST->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &ST->ConfigurationTable[i];

        if (CompareMem(&table->VendorGuid, &guid, sizeof(guid)) == 0)
            return (uintptr_t)table->VendorTable;
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

static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    return phys <= UINTPTR_MAX && length <= UINTPTR_MAX - phys ? (void *)(uintptr_t)phys : NULL;
}

bool firmware_tables_open_smbios(struct smbios *ret_smbios)
{
    static const struct phys_reader reader = { .map = map_table };
    uint64_t entry = firmware_tables_smbios();

    return entry && smbios_open(&reader, entry, &warnings_silent, ret_smbios) == STATUS_OK;
}

void firmware_tables_uuid(char ret_uuid[SMBIOS_UUID_MAX])
{
    static struct smbios_names names;
    struct smbios smbios;

    names.uuid[0] = 0;
    if (firmware_tables_open_smbios(&smbios))
        smbios_names_read(&smbios, &names);
    string_copy(ret_uuid, names.uuid, SMBIOS_UUID_MAX);
}

uint32_t firmware_tables_services(void)
{
    const EFI_GUID guid = {
        0xeb66918a, 0x7eef, 0x402a, { 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 }
    };
    const struct rt_properties *table = (const void *)(uintptr_t)find(guid);

    return table && table->length >= sizeof(*table) ? table->services : UINT32_MAX;
}
