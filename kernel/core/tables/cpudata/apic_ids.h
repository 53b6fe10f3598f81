// SPDX-License-Identifier: MIT
/* An APIC ID's low bits number what shares something: a core, a cache, a package. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How many groups n CPUs are of, whose APIC IDs are the same in a group but for the low bits. */
static inline uint32_t apic_ids_groups(const uint32_t *apic_ids, size_t n, uint32_t low_bits)
{
    uint32_t groups = 0;

    for (size_t i = 0, k; i < n; i++) {
        for (k = 0; apic_ids[k] >> low_bits != apic_ids[i] >> low_bits; k++)
            ;
        groups += k == i;
    }
    return groups;
}
