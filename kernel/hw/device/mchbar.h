// SPDX-License-Identifier: MIT
/*
 * Intel's client processors have registers of the memory controllers at an address that the host
 * bridge, 00:00.0, names (4th generation Core datasheet vol. 2, 3.1.12, MCHBAR). Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "device/pci.h"

/* top_bit: the highest of the address, which differs by generation; bytes: that it is aligned to.
 */
static inline uint64_t mchbar_address(struct pci_function bridge, unsigned top_bit, uint64_t bytes)
{
    uint32_t low = pci_read(bridge, 0x48), high = pci_read(bridge, 0x4c);
    uint64_t bar = (uint64_t)high << 32 | low;

    if (low == UINT32_MAX || high == UINT32_MAX || !(bar & 1)) /* not there, or off */
        return 0;
    return bar & ((UINT64_C(2) << top_bit) - 1) & ~(bytes - 1);
}
