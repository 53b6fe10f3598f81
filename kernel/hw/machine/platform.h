// SPDX-License-Identifier: MIT
/* How the machine is driven, and what its memory is, by ACPI's tables (machine/tables.h). */
#pragma once

#include <stdbool.h>

#include "acpi/hmat.h"
#include "acpi/madt.h"
#include "acpi/non_ram_ranges.h"
#include "acpi/srat.h"
#include "clock/clock.h"
#include "cpudata/cache_info.h"
#include "machine/power.h"

struct platform {
    const struct madt *madt; /* of no CPUs without one */
    const struct cedt *cedt; /* NULL: none usable; so for srat */
    const struct srat *srat;
    struct hmat hmat;
    struct side_cache side_cache;
    struct machine_power power;
    struct power_button power_button;
    struct clock_firmware clocks;
    bool no_8042; /* firmware says, perhaps wrongly, that there is no keyboard controller */
};

extern struct platform platform;

/* With this map, what other memory there is. */
static inline struct memory_tables platform_memory_tables(const struct memory_map *map)
{
    return (struct memory_tables){ map, platform.cedt, platform.srat };
}
