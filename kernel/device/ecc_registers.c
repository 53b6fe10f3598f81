// SPDX-License-Identifier: MIT
#include "device/ecc_registers.h"

#include "device/ecc_amd.h"
#include "device/ecc_xeon.h"

struct ecc_control ecc_registers_read(const struct cpu_model *cpu, ecc_map *map)
{
    switch (cpu->vendor) {
    case CPU_VENDOR_AMD:
    case CPU_VENDOR_HYGON:
        return ecc_amd_read(cpu);
    case CPU_VENDOR_INTEL:
        return ecc_xeon_is_known(cpu) ? ecc_xeon_read() : ecc_intel_read(map);
    default:
        return (struct ecc_control){ 0 };
    }
}
