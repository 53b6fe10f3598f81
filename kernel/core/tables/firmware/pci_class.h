// SPDX-License-Identifier: MIT
/* Which PCI functions write to memory without being asked. For the kernel and for okram.efi. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* class_code: class, subclass and interface (PCI Code and ID Assignment 1.16, 1). */

/* Network controllers, Wi-Fi and Bluetooth included. */
static inline bool pci_class_is_network(uint32_t class_code)
{
    return class_code >> 16 == 0x02 || class_code >> 16 == 0x0d;
}

/* USB host controllers. */
static inline bool pci_class_is_usb(uint32_t class_code)
{
    return class_code >> 8 == 0x0c03 && (class_code & 0xff) < 0x80;
}
