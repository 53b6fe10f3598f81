// SPDX-License-Identifier: MIT
#include "firmware/memory_repair.h"

#define TYPE_DDR5 0x22u /* SMBIOS, table 78 */

static bool has_ddr5(const struct smbios_memory *memory)
{
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        if (memory->slot[i].is_populated && memory->slot[i].memory_type == TYPE_DDR5)
            return true;
    }
    return false;
}

unsigned memory_repair_find(const struct smbios_memory *memory, const struct ecc_control *control,
                            uint64_t more_reliable_bytes)
{
    unsigned found = control->repair;

    if (more_reliable_bytes)
        found |= MEMORY_REPAIR_RANGE_MIRRORING;
    if (memory && has_ddr5(memory))
        found |= MEMORY_REPAIR_ON_DIE_ECC;
    return found;
}

size_t memory_repair_names(unsigned repair, const char *ret_name[MEMORY_REPAIRS])
{
    static const char *const names[MEMORY_REPAIRS] = { "mirroring", "address range mirroring",
                                                       "in-band ECC", "on-die ECC" };
    size_t n = 0;

    for (unsigned i = 0; i < MEMORY_REPAIRS; i++) {
        if (repair >> i & 1)
            ret_name[n++] = names[i];
    }
    return n;
}
