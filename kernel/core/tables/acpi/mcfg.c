// SPDX-License-Identifier: MIT
#include "acpi/mcfg.h"

#include <stddef.h>

#define BUS_BYTES   (UINT64_C(1) << 20)
#define SPACE_BYTES (256 * BUS_BYTES)

struct mcfg_table {
    struct acpi_header header;
    uint64_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct mcfg_table) == 44, "PCI Firmware 3.3, table 4-2");

struct mcfg_entry {
    uint64_t base; /* of bus 0, whichever bus is the first */
    uint16_t segment;
    uint8_t first_bus, last_bus;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct mcfg_entry) == 16, "PCI Firmware 3.3, table 4-3");

enum status mcfg_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct mcfg *ret_mcfg)
{
    const struct mcfg_entry *e = (const void *)((const struct mcfg_table *)table + 1);
    struct mcfg mcfg = { 0 };
    size_t n;

    if (!acpi_table_holds(table, sizeof(struct mcfg_table), "MCFG", warnings))
        return STATUS_INVALID;
    n = (table->length - sizeof(struct mcfg_table)) / sizeof(*e);
    for (size_t i = 0; i < n; i++) {
        mcfg.has_segments |= e[i].segment != 0;
        if (e[i].segment || mcfg.base)
            continue;
        mcfg.base = e[i].base;
        mcfg.first_bus = e[i].first_bus;
        mcfg.last_bus = e[i].last_bus;
    }
    if (mcfg.base > UINT64_MAX - SPACE_BYTES) {
        warn_print(warnings, "MCFG: PCI configuration space at 0x%lx, an invalid address",
                   (unsigned long)mcfg.base);
        return STATUS_INVALID;
    }
    *ret_mcfg = mcfg;
    return STATUS_OK;
}

uint64_t mcfg_address(const struct mcfg *mcfg, unsigned bus, unsigned device, unsigned function,
                      unsigned offset)
{
    if (!mcfg->base || bus < mcfg->first_bus || bus > mcfg->last_bus)
        return 0;
    return mcfg->base + bus * BUS_BYTES + (device << 15 | function << 12 | offset);
}
