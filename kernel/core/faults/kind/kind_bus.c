// SPDX-License-Identifier: MIT
#include "kind/kind_bus.h"

#include <stddef.h>
#include <stdint.h>

/* SMBIOS 3.7, table 78. */
enum {
    TYPE_DDR = 0x12,
    TYPE_DDR2 = 0x13,
    TYPE_DDR3 = 0x18,
    TYPE_DDR4 = 0x1a,
    TYPE_LPDDR = 0x1b,
    TYPE_LPDDR4 = 0x1e,
    TYPE_DDR5 = 0x22,
    TYPE_LPDDR5 = 0x23,
};

static unsigned bits_of(uint8_t type)
{
    switch (type) {
    case TYPE_DDR:
    case TYPE_DDR2:
    case TYPE_DDR3:
    case TYPE_DDR4: return 64;
    case TYPE_DDR5: return 32;
    default: return 0;
    }
}

unsigned kind_bus_bits(const struct smbios_memory *slots)
{
    unsigned bits = 0;

    for (uint32_t i = 0; slots && i < slots->n_slot; i++) {
        const struct smbios_slot *slot = &slots->slot[i];

        if (!slot->is_populated || !slot->is_ordinary)
            continue;
        if (!bits_of(slot->memory_type) || (bits && bits != bits_of(slot->memory_type)))
            return 0;
        bits = bits_of(slot->memory_type);
    }
    return bits;
}

bool kind_bus_has_lanes(const struct smbios_memory *slots)
{
    for (uint32_t i = 0; slots && i < slots->n_slot; i++) {
        uint8_t type = slots->slot[i].memory_type;

        if (slots->slot[i].is_populated &&
            ((type >= TYPE_LPDDR && type <= TYPE_LPDDR4) || type == TYPE_LPDDR5))
            return false;
    }
    return true;
}
