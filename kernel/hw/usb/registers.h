// SPDX-License-Identifier: MIT
/* The registers of an xHCI controller (xHCI 1.2, 5.3 to 5.6, 7.1, 7.2). */
#pragma once

/*
 * Of Intel's 7, 8 and 9 series, X99 and Bay Trail, in configuration space: which ports can be
 * switched from EHCI to xHCI, and which are; for USB 3 and for USB 2 (8 Series PCH datasheet,
 * 328904; Linux, drivers/usb/host/pci-quirks.c).
 */
#define INTEL_XUSB2PR    0xd0
#define INTEL_XUSB2PRM   0xd4
#define INTEL_USB3_PSSEN 0xd8
#define INTEL_USB3PRM    0xdc

/* Capability registers (5.3), from the beginning. */
#define XHCI_CAPLENGTH  0x00 /* bits 31-16: version */
#define XHCI_HCSPARAMS1 0x04
#define XHCI_HCSPARAMS2 0x08
#define XHCI_HCCPARAMS1 0x10
#define XHCI_DBOFF      0x14
#define XHCI_RTSOFF     0x18

/* Operational registers (5.4), from CAPLENGTH. */
#define XHCI_USBCMD   0x00
#define XHCI_USBSTS   0x04
#define XHCI_PAGESIZE 0x08
#define XHCI_CRCR     0x18
#define XHCI_DCBAAP   0x30
#define XHCI_CONFIG   0x38
#define XHCI_PORTSC   0x400 /* 16 bytes a port */

#define XHCI_COMMAND_RUN   (1u << 0)
#define XHCI_COMMAND_RESET (1u << 1)

#define XHCI_STATUS_HALTED     (1u << 0)
#define XHCI_STATUS_HOST_ERROR (1u << 2)
#define XHCI_STATUS_NOT_READY  (1u << 11)
#define XHCI_STATUS_ERROR      (1u << 12)

/* PORTSC (5.4.8). */
#define XHCI_PORT_CONNECTED         (1u << 0)
#define XHCI_PORT_ENABLED           (1u << 1) /* writing 1 disables */
#define XHCI_PORT_RESET             (1u << 4)
#define XHCI_PORT_POWER             (1u << 9)
#define XHCI_PORT_SPEED(portsc)     ((portsc) >> 10 & 15)
#define XHCI_PORT_CHANGE_CONNECTION (1u << 17)
#define XHCI_PORT_CHANGE_ENABLED    (1u << 18)
#define XHCI_PORT_CHANGES           (0x7fu << 17)
#define XHCI_PORT_KEPT              (7u << 25 | 3u << 14 | XHCI_PORT_POWER)

/* Runtime registers of interrupter 0 (5.5), from RTSOFF. */
#define XHCI_IMAN      0x20
#define XHCI_ERSTSZ    0x28
#define XHCI_ERSTBA    0x30
#define XHCI_ERDP      0x38
#define XHCI_ERDP_BUSY (1u << 3)

/* Extended capabilities (7): the ID in bits 7-0, the distance to the next in words in 15-8. */
#define XHCI_EXTENDED_LEGACY   1
#define XHCI_EXTENDED_PROTOCOL 2

#define XHCI_LEGACY_BIOS_OWNED (1u << 16)
#define XHCI_LEGACY_OS_OWNED   (1u << 24)
#define XHCI_LEGACY_CONTROL    4 /* USBLEGCTLSTS, from USBLEGSUP */
#define XHCI_LEGACY_SMIS       0xe011u
#define XHCI_LEGACY_KEPT       (7u << 1 | 0xffu << 5 | 7u << 17) /* reserved bits (7.1.2) */
#define XHCI_LEGACY_EVENTS     (7u << 29)                        /* cleared by writing 1 */
