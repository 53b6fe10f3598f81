// SPDX-License-Identifier: MIT
#include "device/pci_byte.h"

#include "io/ports.h"

#define ADDRESS_PORT 0xcf8
#define DATA_PORT    0xcfc /* and the three after it: a byte of the word each */

void pci_write_byte(struct pci_function f, uint8_t offset, uint8_t value)
{
    io_out32(ADDRESS_PORT, f.address | (offset & ~3u));
    io_out8((uint16_t)(DATA_PORT + offset % 4), value);
}
