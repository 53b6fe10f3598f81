// SPDX-License-Identifier: MIT
/*
 * The system management network of AMD's and Hygon's processors since family 17h: registers behind
 * an index and a word of data of a host bridge, as in Linux's amd_node. Firmware may use the same
 * index, so whoever reads leaves it as it was. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/pci.h"

#define SMN_INDEX 0x60
#define SMN_DATA  0x64

/* Leaves the index at `address`. False: the bridge has no such index, or nothing answers. */
static inline bool smn_read(struct pci_function bridge, uint32_t address, uint32_t *ret_value)
{
    uint32_t value;

    pci_write(bridge, SMN_INDEX, address);
    if (pci_read(bridge, SMN_INDEX) != address)
        return false;
    value = pci_read(bridge, SMN_DATA);
    if (value == UINT32_MAX)
        return false;
    *ret_value = value;
    return true;
}
