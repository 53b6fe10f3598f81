// SPDX-License-Identifier: MIT
/*
 * Whether firmware's system management mode (SMM) drives a USB controller: it does so to make PS/2
 * keys of what is pressed on a USB keyboard, for systems that do not know USB. Such a controller
 * reads and writes memory that firmware keeps, because it must get along with any system.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The interface byte of PCI class 0c03. */
enum usb_interface { USB_UHCI = 0x00, USB_OHCI = 0x10, USB_EHCI = 0x20, USB_XHCI = 0x30 };

/* A controller's registers, 32 bits each. All ones: there is none. */
struct usb_registers {
    uint32_t (*config)(void *ctx, uint8_t offset);  /* PCI configuration space */
    uint32_t (*memory)(void *ctx, uint32_t offset); /* BAR 0 */
    void *ctx;
};

/*
 * UHCI: SMIs in LEGSUP (UHCI 1.1, 5.2.1). OHCI: InterruptRouting (OHCI 1.0a, 7.1.2). EHCI and xHCI:
 * owned by the BIOS, with SMIs (EHCI 1.0, 2.1.7; xHCI 1.2, 7.1). Others: false.
 */
bool usb_legacy_is_on(uint8_t interface, const struct usb_registers *registers);
