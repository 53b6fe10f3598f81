// SPDX-License-Identifier: MIT
/* The size of a memory module, of SMBIOS type 17 (DMTF DSP0134 3.7, 7.18). */
#pragma once

#include <stdint.h>

#define SMBIOS_SIZE_UNKNOWN  0xffffu
#define SMBIOS_SIZE_EXTENDED 0x7fffu /* the size is in the field for larger ones */

/* In bytes; 0: there is no module, or its size is unknown. */
static inline uint64_t smbios_size_bytes(uint16_t size, uint32_t extended_mib)
{
    const uint16_t in_kib = 0x8000;

    if (size == SMBIOS_SIZE_UNKNOWN)
        return 0;
    if (size == SMBIOS_SIZE_EXTENDED)
        return (uint64_t)(extended_mib & 0x7fffffff) << 20;
    return size & in_kib ? (uint64_t)(size & ~in_kib) << 10 : (uint64_t)size << 20;
}
