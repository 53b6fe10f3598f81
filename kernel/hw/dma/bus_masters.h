// SPDX-License-Identifier: MIT
/*
 * Functions that firmware, a boot ROM or a bootloader has left on: they would go on writing
 * packets, frame numbers and keys to memory that is under test, or use a buffer there.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/pci.h"
#include "dma/registers.h"

#define BUS_MASTERS_MAX 16

struct bus_master {
    struct pci_function function;
    uint32_t id; /* vendor, device */
    uint32_t class_code;
};

/* Those that are still on. */
struct bus_masters {
    struct bus_master master[BUS_MASTERS_MAX];
    size_t n; /* and those that have no room there */
};

/*
 * Clears bus mastering of all functions of PCI segment 0 that are network, wireless or USB
 * controllers, storage or system peripherals (firmware/pci_class.h), and resets those that are
 * known to need it. USB controllers that firmware itself drives to make PS/2 keys of a USB keyboard
 * are left alone (usb_formats/legacy.h): their memory is firmware's, and without bus mastering the
 * keys would be lost. ret_left: which are bus masters all the same, of any class but what lets
 * others reach memory.
 */
void bus_masters_stop(dma_map map, struct bus_masters *ret_left);
