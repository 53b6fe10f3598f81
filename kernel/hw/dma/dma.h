// SPDX-License-Identifier: MIT
/*
 * What firmware, a boot ROM or a bootloader has left on, and could reach memory under test. Bus
 * masters would go on writing packets, frame numbers and keys there, or use a buffer there. IOMMUs
 * have their tables in memory that is free after ExitBootServices, and would be overwritten by
 * tests: devices then reach memory at random, or nothing; AMD's write their logs to such memory,
 * too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "device/pci.h"
#include "lib/warn.h"

/*
 * The registers at a physical address, mapped uncached; NULL when no registers can be there, or
 * they cannot be reached yet.
 */
typedef volatile uint32_t *(*dma_map)(uint64_t phys, uint64_t bytes);

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

/*
 * Turns off DMA translation, interrupt remapping, queues and logs of all units that DMAR and IVRS
 * list. A unit that map() cannot reach is left alone; one that stays on gives a warning. May be
 * called again.
 */
void iommus_turn_off(const struct acpi *acpi, dma_map map, const struct warnings *warnings);
