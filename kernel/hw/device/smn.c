// SPDX-License-Identifier: MIT
#include "device/smn.h"

bool smn_read(struct pci_function bridge, uint32_t address, uint32_t *ret_value)
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
