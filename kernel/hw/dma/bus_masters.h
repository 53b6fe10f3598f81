// SPDX-License-Identifier: MIT
/*
 * Network and USB functions that firmware, a boot ROM or a bootloader has left on: they would go on
 * writing packets, frame numbers and keys to memory that is under test.
 */
#pragma once

#include "dma/registers.h"

/*
 * Clears bus mastering of all network, wireless and USB functions of PCI segment 0, and resets
 * those that are known to need it. USB controllers that firmware itself drives to make PS/2 keys of
 * a USB keyboard are left alone (usb_formats/legacy.h): their memory is firmware's, and without bus
 * mastering the keys would be lost.
 */
void bus_masters_stop(dma_map map);
