// SPDX-License-Identifier: MIT
#include "usb_formats/descriptors.h"

#include <stdbool.h>

/* bmRequestType (USB 2.0, table 9-2). */
#define TO_DEVICE          0x00
#define FROM_DEVICE        0x80
#define CLASS_TO_INTERFACE 0x21

/* Table 9-4; HID 1.11, 7.2. */
#define GET_DESCRIPTOR    6
#define SET_CONFIGURATION 9
#define SET_IDLE          0x0a
#define SET_PROTOCOL      0x0b
#define PROTOCOL_BOOT     0

#define DESCRIPTOR_INTERFACE 4
#define DESCRIPTOR_ENDPOINT  5
#define INTERFACE_BYTES      9
#define ENDPOINT_BYTES       7

#define CLASS_HID         3
#define SUBCLASS_BOOT     1
#define PROTOCOL_KEYBOARD 1
#define CLASS_HUB         9

#define ENDPOINT_IN        0x80
#define ENDPOINT_NUMBER    0x0f
#define ENDPOINT_TYPE      0x03
#define ENDPOINT_INTERRUPT 0x03
#define PACKET_BYTES_MASK  0x7ff

uint64_t usb_get_descriptor(enum usb_descriptor type, uint16_t length)
{
    return usb_request(FROM_DEVICE, GET_DESCRIPTOR, (uint16_t)(type << 8), 0, length);
}

uint64_t usb_set_configuration(uint8_t configuration)
{
    return usb_request(TO_DEVICE, SET_CONFIGURATION, configuration, 0, 0);
}

uint64_t usb_set_boot_protocol(uint8_t interface)
{
    return usb_request(CLASS_TO_INTERFACE, SET_PROTOCOL, PROTOCOL_BOOT, interface, 0);
}

uint64_t usb_set_idle(uint8_t interface)
{
    return usb_request(CLASS_TO_INTERFACE, SET_IDLE, 0, interface, 0);
}

static uint16_t read16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

/* Table 9-8. */
enum status usb_device_packet_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes)
{
    uint8_t packet;

    if (n < USB_DEVICE_HEAD_BYTES || bytes[1] != USB_DESCRIPTOR_DEVICE)
        return STATUS_INVALID;
    packet = bytes[7];
    if (packet != 8 && packet != 16 && packet != 32 && packet != 64)
        return STATUS_INVALID;
    *ret_bytes = packet;
    return STATUS_OK;
}

/* Table 9-10. */
enum status usb_configuration_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes)
{
    if (n < USB_CONFIGURATION_HEAD_BYTES || bytes[1] != USB_DESCRIPTOR_CONFIGURATION ||
        read16(bytes + 2) < USB_CONFIGURATION_HEAD_BYTES)
        return STATUS_INVALID;
    *ret_bytes = read16(bytes + 2);
    return STATUS_OK;
}

/* Walks descriptors and owns all bounds checks. */
struct cursor {
    const uint8_t *pos, *end;
};

/* The next descriptor, whole; NULL at the end, or where one has an impossible length. */
static const uint8_t *next(struct cursor *c)
{
    const uint8_t *d = c->pos;
    size_t left = (size_t)(c->end - c->pos);

    if (left < 2 || d[0] < 2 || d[0] > left)
        return NULL;
    c->pos += d[0];
    return d;
}

/* Table 9-12. Whether an interface is one that okram drives. */
static bool is_wanted(const uint8_t *d, enum usb_kind *ret_kind)
{
    if (d[0] < INTERFACE_BYTES || d[3] != 0)
        return false;
    if (d[5] == CLASS_HID && d[6] == SUBCLASS_BOOT && d[7] == PROTOCOL_KEYBOARD)
        *ret_kind = USB_KEYBOARD;
    else if (d[5] == CLASS_HUB)
        *ret_kind = USB_HUB;
    else
        return false;
    return true;
}

/* Table 9-13. */
static bool is_interrupt_in(const uint8_t *d)
{
    return d[0] >= ENDPOINT_BYTES && d[2] & ENDPOINT_IN && d[2] & ENDPOINT_NUMBER &&
           (d[3] & ENDPOINT_TYPE) == ENDPOINT_INTERRUPT && read16(d + 4) & PACKET_BYTES_MASK;
}

enum status usb_function_find(const uint8_t *configuration, size_t n,
                              struct usb_function *ret_function)
{
    struct cursor c = { configuration, configuration + n };
    struct usb_function f = { 0 };
    bool wanted = false;
    const uint8_t *d;
    uint16_t all;

    if (usb_configuration_bytes(configuration, n, &all) != STATUS_OK)
        return STATUS_NOT_FOUND;
    if (all < n)
        c.end = configuration + all;
    f.configuration = configuration[5];
    while ((d = next(&c))) {
        if (d[1] == DESCRIPTOR_INTERFACE) {
            wanted = is_wanted(d, &f.kind);
            f.interface = wanted ? d[2] : 0;
        } else if (d[1] == DESCRIPTOR_ENDPOINT && wanted && is_interrupt_in(d)) {
            f.endpoint = d[2] & ENDPOINT_NUMBER;
            f.packet_bytes = read16(d + 4) & PACKET_BYTES_MASK;
            f.interval = d[6];
            *ret_function = f;
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}
