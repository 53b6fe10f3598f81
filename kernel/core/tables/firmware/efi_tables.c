// SPDX-License-Identifier: MIT
#include "firmware/efi_tables.h"

#include <stddef.h>

#include "lib/string.h"

#define SIGNATURE   UINT64_C(0x5453595320494249) /* "IBI SYST" */
#define ENTRIES_MAX 1024

struct table_64 {
    uint64_t signature;
    uint8_t skipped[96]; /* to the boot services */
    uint64_t n_entries, entries;
} __attribute__((packed));
_Static_assert(offsetof(struct table_64, n_entries) == 104, "UEFI 2.10, 4.3");

struct table_32 {
    uint64_t signature;
    uint8_t skipped[56];
    uint32_t n_entries, entries;
} __attribute__((packed));
_Static_assert(offsetof(struct table_32, n_entries) == 64, "UEFI 2.10, 4.3");

#define GUID_BYTES 16

/* 4.6.1, as they are in memory; the newest form first. */
static const uint8_t acpi[][GUID_BYTES] = {
    { 0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11, 0xbc, 0x22, 0, 0x80, 0xc7, 0x3c, 0x88, 0x81 },
    { 0x30, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16, 0, 0x90, 0x27, 0x3f, 0xc1, 0x4d },
};
static const uint8_t smbios[][GUID_BYTES] = {
    { 0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a, 0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3,
      0x94 },
    { 0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16, 0, 0x90, 0x27, 0x3f, 0xc1, 0x4d },
};

struct list {
    const struct phys_reader *reader;
    uint64_t base, n;
    bool is_64;
};

static enum status open_list(struct list *l, uint64_t system_table)
{
    const struct table_64 *wide = NULL;
    const struct table_32 *narrow = NULL;

    if (l->is_64)
        wide = phys_map(l->reader, system_table, sizeof(*wide));
    else
        narrow = phys_map(l->reader, system_table, sizeof(*narrow));
    if ((!wide || wide->signature != SIGNATURE) && (!narrow || narrow->signature != SIGNATURE))
        return STATUS_INVALID;
    l->base = wide ? wide->entries : narrow->entries;
    l->n = wide ? wide->n_entries : narrow->n_entries;
    if (l->n > ENTRIES_MAX)
        l->n = ENTRIES_MAX;
    return STATUS_OK;
}

/* 0: it is not in the list. */
static uint64_t find(const struct list *l, const uint8_t guid[GUID_BYTES])
{
    size_t address_bytes = l->is_64 ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t bytes = GUID_BYTES + address_bytes;

    for (uint64_t i = 0; i < l->n; i++) {
        const uint8_t *entry = phys_map(l->reader, l->base + i * bytes, bytes);
        uint64_t address = 0;

        if (!entry)
            return 0;
        if (memcmp(entry, guid, GUID_BYTES) == 0) {
            memcpy(&address, entry + GUID_BYTES, address_bytes);
            return address;
        }
    }
    return 0;
}

static uint64_t find_newest(const struct list *l, const uint8_t guid[2][GUID_BYTES])
{
    uint64_t address = find(l, guid[0]);

    return address ? address : find(l, guid[1]);
}

enum status efi_tables_find(const struct phys_reader *reader, uint64_t system_table, bool is_64,
                            struct efi_tables *ret_tables)
{
    struct list list = { .reader = reader, .is_64 = is_64 };

    if (!system_table || open_list(&list, system_table) != STATUS_OK)
        return STATUS_INVALID;
    ret_tables->rsdp = find_newest(&list, acpi);
    ret_tables->smbios = find_newest(&list, smbios);
    return STATUS_OK;
}
