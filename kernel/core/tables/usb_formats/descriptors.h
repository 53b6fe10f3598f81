// SPDX-License-Identifier: MIT
/*
 * Requests to devices (USB 2.0, 9.3, 9.4; HID 1.11, 7.2) and the descriptors that they return
 * (9.6).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

/* The eight bytes of a setup packet (9.3), as a little-endian number. */
static inline uint64_t usb_request(uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                                   uint16_t length)
{
    return type | (uint64_t)request << 8 | (uint64_t)value << 16 | (uint64_t)index << 32 |
           (uint64_t)length << 48;
}

static inline uint16_t usb_request_length(uint64_t setup)
{
    return (uint16_t)(setup >> 48);
}

enum usb_descriptor { USB_DESCRIPTOR_DEVICE = 1, USB_DESCRIPTOR_CONFIGURATION = 2 };

#define USB_DEVICE_HEAD_BYTES        8
#define USB_CONFIGURATION_HEAD_BYTES 9

uint64_t usb_get_descriptor(enum usb_descriptor type, uint16_t length);
uint64_t usb_set_configuration(uint8_t configuration);
uint64_t usb_set_boot_protocol(uint8_t interface);
/* Reports come only when a key changes (HID 1.11, 7.2.4). */
uint64_t usb_set_idle(uint8_t interface);

/*
 * Endpoint 0's packet size from the first bytes of a device descriptor. STATUS_INVALID: they are
 * none, or the size is none of 8, 16, 32, 64.
 */
enum status usb_device_packet_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes);

/* The whole length of a configuration, from its first bytes. STATUS_INVALID: they are none. */
enum status usb_configuration_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes);

enum usb_kind {
    USB_KEYBOARD, /* HID 1.11, 4.2 and 4.3: boot interface, keyboard */
    USB_HUB,      /* USB 2.0, 11.23.1 */
};

/* The interface of a device that okram drives. */
struct usb_function {
    enum usb_kind kind;
    uint8_t configuration; /* its value */
    uint8_t interface;
    uint8_t endpoint; /* interrupt IN: 1 to 15 */
    uint16_t packet_bytes;
    uint8_t interval; /* bInterval */
};

/*
 * The first keyboard or hub of a configuration, which may have other interfaces, too; alternate
 * settings do not count. STATUS_NOT_FOUND: there is none. Descriptors that contradict themselves
 * end the search.
 */
enum status usb_function_find(const uint8_t *configuration, size_t n,
                              struct usb_function *ret_function);
