// SPDX-License-Identifier: MIT
/*
 * Requests to devices (USB 2.0, 9.3, 9.4; HID 1.11, 7.2) and what they return: descriptors (9.6),
 * the state of hubs and their ports, and the reports of keyboards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/keys.h"
#include "lib/status.h"
#include "usb_formats/context.h"

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
/* An endpoint that has stalled goes on (9.4.5). address: of its descriptor. */
uint64_t usb_clear_halt(uint8_t address);

/*
 * Endpoint 0's packet size from the first bytes of a device descriptor. STATUS_INVALID: they are
 * none, or the size is none of 8, 16, 32, 64, and 512 where the device is of USB 3.
 */
enum status usb_device_packet_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes);

/* The whole length of a configuration, from its first bytes. STATUS_INVALID: they are none. */
enum status usb_configuration_bytes(const uint8_t *bytes, size_t n, uint16_t *ret_bytes);

enum usb_kind {
    USB_KEYBOARD, /* HID 1.11, 4.2 and 4.3: boot interface, keyboard */
    USB_HUB,      /* USB 2.0, 11.23.1 */
    USB_STORAGE,  /* SCSI commands by bulk transfers alone: usb_formats/storage.h */
};

/* The interface of a device that okram drives. */
struct usb_function {
    enum usb_kind kind;
    uint8_t configuration; /* its value */
    uint8_t interface;
    uint8_t endpoint; /* interrupt IN; of a storage device bulk IN: 1 to 15 */
    uint16_t packet_bytes;
    uint8_t interval;     /* bInterval */
    uint8_t endpoint_out; /* of a storage device: bulk OUT, 1 to 15 */
    uint16_t packet_bytes_out;
};

/*
 * The first keyboard or hub of a configuration, which may have other interfaces, too; else its
 * first storage device. Alternate settings do not count. STATUS_NOT_FOUND: there is none.
 * Descriptors that contradict themselves end the search.
 */
enum status usb_function_find(const uint8_t *configuration, size_t n,
                              struct usb_function *ret_function);

/* What a keyboard sends in the boot protocol: HID 1.11, appendix B.1 and F. */

#define BOOT_REPORT_KEYS 6 /* that can be down at once */

/* The keys that are down, as the report before said; all 0 at first. */
struct boot_keys {
    uint8_t usage[BOOT_REPORT_KEYS];
};

/*
 * Takes a report of n bytes. Returns how many keys went down, and writes them as lib/keys.h names
 * them: 'q', 'n', 'r', 'l', 'b', 'c', 'x', 'h', ' ', KEY_ENTER, KEY_ESCAPE; others are left out.
 * Modifiers make no difference. A report that says that too many keys are down, or is too short,
 * changes nothing.
 */
size_t boot_report_keys(struct boot_keys *keys, const uint8_t *report, size_t n,
                        int ret_key[BOOT_REPORT_KEYS]);

/* Hubs: requests, descriptor and port status (USB 2.0, 11.23, 11.24). */

#define HUB_DESCRIPTOR_BYTES 9 /* of a hub with up to 7 ports; okram needs no more */
#define HUB_STATUS_BYTES     4

/* Ports that okram uses; bit 0 of a change bitmap is the hub itself. */
#define HUB_PORTS_MAX 31

/* Table 11-17. A port's changes are its features 16 to 20, in the order of the change bits. */
enum hub_feature {
    HUB_PORT_ENABLE = 1,
    HUB_PORT_RESET = 4,
    HUB_PORT_POWER = 8,
    HUB_CHANGE_CONNECTION = 16
};
#define HUB_CHANGES 5

uint64_t hub_get_descriptor(void);
uint64_t hub_get_port_status(uint8_t port);
uint64_t hub_set_port_feature(uint8_t port, enum hub_feature feature);
uint64_t hub_clear_port_feature(uint8_t port, unsigned feature);

struct hub_descriptor {
    uint8_t n_ports;        /* 1 to HUB_PORTS_MAX */
    uint16_t power_good_ms; /* from power on until a port can be used */
    uint8_t think_time;     /* as the slot context codes it */
};

/* Table 11-13. STATUS_INVALID: it is none, or too short, or has no ports. */
enum status hub_descriptor_read(const uint8_t *bytes, size_t n, struct hub_descriptor *ret_hub);

struct hub_port {
    bool connected, enabled;
    enum usb_speed speed;   /* once it is enabled */
    bool connection_change; /* something was plugged in or out */
    bool reset_change;      /* a reset has ended */
    uint8_t changes;        /* all of them: bit n is the feature 16 + n */
};

/* Tables 11-21 and 11-22. STATUS_INVALID: too short. */
enum status hub_port_read(const uint8_t *bytes, size_t n, struct hub_port *ret_port);
