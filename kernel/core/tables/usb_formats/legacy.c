// SPDX-License-Identifier: MIT
#include "usb_formats/legacy.h"

#define GONE UINT32_MAX

#define UHCI_LEGSUP 0xc0
#define UHCI_SMIS   0x1fu /* of accesses to ports 0x60 and 0x64, and of the controller */

#define OHCI_CONTROL           0x04
#define OHCI_INTERRUPT_ROUTING (1u << 8)

#define EHCI_HCCPARAMS 0x08
#define EHCI_SMIS      0xe03fu
#define XHCI_HCCPARAMS 0x10
#define XHCI_SMIS      0xe011u

/* A capability: its number, where the next one is, who owns the controller; SMIs follow. */
#define LEGACY_SUPPORT   1
#define BIOS_OWNED       (1u << 16)
#define CAPABILITIES_MAX 64

static bool is_owned(uint32_t head, uint32_t control, uint32_t smis)
{
    return head & BIOS_OWNED && control != GONE && control & smis;
}

static bool ehci_is_on(const struct usb_registers *r)
{
    uint32_t params = r->memory(r->ctx, EHCI_HCCPARAMS);
    uint8_t at = params == GONE ? 0 : params >> 8 & 0xfc;

    for (unsigned i = 0; at >= 0x40 && i < CAPABILITIES_MAX; i++) {
        uint32_t head = r->config(r->ctx, at);

        if (head == GONE)
            return false;
        if ((head & 0xff) == LEGACY_SUPPORT)
            return is_owned(head, r->config(r->ctx, (uint8_t)(at + 4)), EHCI_SMIS);
        at = head >> 8 & 0xfc;
    }
    return false;
}

static bool xhci_is_on(const struct usb_registers *r)
{
    uint32_t params = r->memory(r->ctx, XHCI_HCCPARAMS);
    uint32_t at = params == GONE ? 0 : params >> 16 << 2;

    for (unsigned i = 0; at && i < CAPABILITIES_MAX; i++) {
        uint32_t head = r->memory(r->ctx, at), next = head >> 8 & 0xff;

        if (head == GONE)
            return false;
        if ((head & 0xff) == LEGACY_SUPPORT)
            return is_owned(head, r->memory(r->ctx, at + 4), XHCI_SMIS);
        at = next ? at + 4 * next : 0;
    }
    return false;
}

bool usb_legacy_is_on(uint8_t interface, const struct usb_registers *r)
{
    uint32_t value;

    switch (interface) {
    case USB_UHCI:
        value = r->config(r->ctx, UHCI_LEGSUP);
        return value != GONE && value & UHCI_SMIS;
    case USB_OHCI:
        value = r->memory(r->ctx, OHCI_CONTROL);
        return value != GONE && value & OHCI_INTERRUPT_ROUTING;
    case USB_EHCI: return ehci_is_on(r);
    case USB_XHCI: return xhci_is_on(r);
    default: return false;
    }
}
