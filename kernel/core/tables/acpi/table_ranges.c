// SPDX-License-Identifier: MIT
#include "acpi/table_ranges.h"

#include "acpi/acpi.h"
#include "acpi/fadt.h"
#include "firmware/smbios.h"
#include "lib/string.h"
#include "lib/warn.h"

#define ENTRY_POINT_BYTES 36 /* the longest: that of ACPI */
#define ADDRESS_BITS      52

static void add(struct spans *ranges, uint64_t phys, uint64_t bytes)
{
    uint64_t base = align_down(phys, PAGE_SIZE), end = align_up(phys + bytes, PAGE_SIZE);

    if (bytes && !(phys >> ADDRESS_BITS))
        spans_add(ranges, (struct span){ base, end - base });
}

/* Returns NULL if there is no valid table there. */
static const struct acpi_header *add_table(struct spans *r, const struct phys_reader *reader,
                                           uint64_t phys)
{
    const struct acpi_header *table = phys ? phys_map(reader, phys, sizeof(*table)) : NULL;

    if (!table ||
        acpi_table_at(reader, phys, table->signature, &warnings_silent, &table) != STATUS_OK)
        return NULL;
    add(r, phys, table->length);
    return table;
}

static void add_acpi(struct spans *r, const struct phys_reader *reader, const struct acpi *acpi)
{
    add(r, acpi->list, sizeof(struct acpi_header) + acpi->n_entries * acpi->entry_size);
    for (size_t i = 0; i < acpi->n_entries; i++) {
        const struct acpi_header *table = add_table(r, reader, acpi_address(acpi, i));
        struct fadt fadt;

        if (table && memcmp(table->signature, "FACP", sizeof(table->signature)) == 0 &&
            fadt_read(table, &warnings_silent, &fadt) == STATUS_OK)
            add_table(r, reader, fadt.dsdt);
    }
}

void table_ranges_find(const struct phys_reader *reader, uint64_t rsdp, uint64_t smbios,
                       struct spans *ret_ranges)
{
    struct smbios found;
    struct acpi acpi;

    ret_ranges->n = 0;
    if (acpi_open(reader, rsdp, &warnings_silent, &acpi) == STATUS_OK) {
        if (rsdp)
            add(ret_ranges, rsdp, ENTRY_POINT_BYTES);
        add_acpi(ret_ranges, reader, &acpi);
    }
    if (smbios_open(reader, smbios, &warnings_silent, &found) == STATUS_OK) {
        if (smbios)
            add(ret_ranges, smbios, ENTRY_POINT_BYTES);
        add(ret_ranges, found.address, found.length);
    }
}
