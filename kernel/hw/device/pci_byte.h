// SPDX-License-Identifier: MIT
/* Single bytes of PCI configuration space (device/pci.h): what is next to them is not written. */
#pragma once

#include <stdint.h>

#include "device/pci.h"

void pci_write_byte(struct pci_function f, uint8_t offset, uint8_t value);
