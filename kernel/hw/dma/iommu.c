// SPDX-License-Identifier: MIT
#include "dma/dma.h"

#include <stdbool.h>

#include "acpi/iommu_units.h"
#include "arch/tsc.h"

#define GONE      UINT32_MAX
#define SETTLE_US 100000

/* Registers of Intel's VT-d (specification 4.1, 11.4), by 32 bits. */
enum {
    VTD_COMMAND = 0x18 / 4,
    VTD_STATUS = 0x1c / 4,
    VTD_PROTECTED = 0x64 / 4, /* memory that no device may reach */
};

#define VTD_TRANSLATION    (1u << 31)
#define VTD_REMAPPING      (1u << 25)  /* of interrupts */
#define VTD_QUEUE          (1u << 26)  /* of invalidations */
#define VTD_KEPT           0x96ffffffu /* what a command carries over from the status (11.4.4.1) */
#define VTD_PROTECT        (1u << 31)
#define VTD_PROTECT_STATUS 1u

/* Of AMD's (48882, 3.4.2). */
enum {
    AMD_CONTROL = 0x18 / 4,
};

#define AMD_ON   1u
#define AMD_LOGS (1u << 28 | 1u << 13 | 1u << 12 | 1u << 2) /* and the queue of commands */

/* Waits until the bits are clear; false: they stay set. */
static bool becomes_clear(volatile uint32_t *r, unsigned at, uint32_t bits)
{
    uint64_t deadline = tsc_now() + tsc_from_us(SETTLE_US);

    while (r[at] & bits) {
        if (tsc_now() >= deadline)
            return false;
    }
    return true;
}

static bool turn_off_vtd(volatile uint32_t *r)
{
    static const uint32_t parts[] = { VTD_TRANSLATION, VTD_REMAPPING, VTD_QUEUE };
    bool is_off = true;

    if (r[VTD_STATUS] == GONE)
        return true;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        uint32_t status = r[VTD_STATUS];

        if (!(status & parts[i]))
            continue;
        r[VTD_COMMAND] = status & VTD_KEPT & ~parts[i];
        is_off &= becomes_clear(r, VTD_STATUS, parts[i]);
    }
    if (r[VTD_PROTECTED] & VTD_PROTECT) {
        r[VTD_PROTECTED] &= ~VTD_PROTECT;
        becomes_clear(r, VTD_PROTECTED, VTD_PROTECT_STATUS);
    }
    return is_off;
}

static bool turn_off_amd(volatile uint32_t *r)
{
    uint32_t control = r[AMD_CONTROL];

    if (control == GONE || !(control & (AMD_ON | AMD_LOGS)))
        return true;
    r[AMD_CONTROL] = control & ~AMD_LOGS;
    r[AMD_CONTROL] = control & ~(AMD_LOGS | AMD_ON);
    return becomes_clear(r, AMD_CONTROL, AMD_ON);
}

static void turn_off(const struct iommu_units *units, bool (*one)(volatile uint32_t *r),
                     dma_map map, const struct warnings *warnings)
{
    for (size_t i = 0; i < units->n; i++) {
        volatile uint32_t *r = map(units->address[i], IOMMU_REGISTERS_BYTES);

        if (r && !one(r))
            warn_print(warnings,
                       "the IOMMU at 0x%lx cannot be turned off: devices may write to memory under "
                       "test",
                       units->address[i]);
    }
}

void iommus_turn_off(const struct acpi *acpi, dma_map map, const struct warnings *warnings)
{
    const struct acpi_header *table;
    struct iommu_units units;

    if (acpi_find(acpi, "DMAR", warnings, &table) == STATUS_OK &&
        dmar_read(table, warnings, &units) == STATUS_OK)
        turn_off(&units, turn_off_vtd, map, warnings);
    if (acpi_find(acpi, "IVRS", warnings, &table) == STATUS_OK &&
        ivrs_read(table, warnings, &units) == STATUS_OK)
        turn_off(&units, turn_off_amd, map, warnings);
}
