// SPDX-License-Identifier: MIT
#include "acpi/hpet.h"

#include "acpi/fadt.h"

struct hpet_table {
    struct acpi_header header;
    uint32_t block_id;
    struct acpi_register base;
    uint8_t number;
    uint16_t least_tick;
    uint8_t page_protection;
} __attribute__((packed));
_Static_assert(sizeof(struct hpet_table) == 56, "HPET 1.0a, 3.2.4");

enum status hpet_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hpet *ret_hpet)
{
    const struct hpet_table *t = (const void *)table;

    if (!acpi_table_holds(table, sizeof(*t), "HPET", warnings))
        return STATUS_INVALID;
    if (t->base.space != ACPI_SPACE_MEMORY || !t->base.address ||
        t->base.address > UINT64_MAX - HPET_REGISTERS_BYTES) {
        warn_print(
            warnings,
            "HPET: registers at 0x%lx of address space %u, an invalid address; it is not used",
            (unsigned long)t->base.address, t->base.space);
        return STATUS_INVALID;
    }
    ret_hpet->address = t->base.address;
    return STATUS_OK;
}
