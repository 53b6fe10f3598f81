// SPDX-License-Identifier: MIT
#include "machine/stop_dma.h"

#include "arch/paging.h"
#include "dma/bus_masters.h"
#include "dma/iommu.h"
#include "machine/early_reader.h"
#include "machine/machine.h"

/* A write to registers must not be one to RAM. MTRRs make them uncached. */
static volatile uint32_t *map_registers(uint64_t phys, uint64_t bytes)
{
    return paging_is_mapped(phys, bytes) && !machine_has_memory_at(phys, bytes) ? direct(phys)
                                                                                : NULL;
}

void stop_dma(const struct boot_info *boot)
{
    const struct phys_reader reader = early_reader(&machine.map);
    struct acpi acpi;

    bus_masters_stop(map_registers, &machine.bus_masters);
    if (acpi_open(&reader, boot->rsdp, &warnings_silent, &acpi) == STATUS_OK)
        iommus_turn_off(&acpi, map_registers, &warnings_silent);
}
