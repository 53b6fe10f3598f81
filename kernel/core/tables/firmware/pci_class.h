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

/* USB host controllers, and USB4's routers: Thunderbolt. */
static inline bool pci_class_is_usb(uint32_t class_code)
{
    return class_code >> 8 == 0x0c03 && (class_code & 0xff) < 0x80;
}

/* An NVMe drive may use memory that it was lent, a host memory buffer (NVMe 1.4, 5.21.1.13). */
static inline bool pci_class_is_storage(uint32_t class_code)
{
    return class_code >> 16 == 0x01;
}

/* System peripherals: DMA engines, hosts of SD cards, Thunderbolt's older controllers (0x088000).
 */
static inline bool pci_class_is_peripheral(uint32_t class_code)
{
    return class_code >> 16 == 0x08 && class_code >> 8 != 0x0806;
}

/* What lets others reach memory: bridges, and IOMMUs. */
static inline bool pci_class_forwards(uint32_t class_code)
{
    return class_code >> 16 == 0x06 || class_code >> 8 == 0x0806;
}

/* The class in a word or two: "display", "network"; "unknown". */
const char *pci_class_name(uint32_t class_code);
