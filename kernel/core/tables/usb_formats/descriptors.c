// SPDX-License-Identifier: MIT
#include "usb_formats/descriptors.h"

#include <stdbool.h>

/* bmRequestType (USB 2.0, table 9-2). */
#define TO_DEVICE          0x00
#define FROM_DEVICE        0x80
#define TO_ENDPOINT        0x02
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
#define CLASS_STORAGE     8 /* Mass Storage Class Overview 1.4, 2 and 3 */
#define SUBCLASS_SCSI     6
#define PROTOCOL_BULK     0x50

#define ENDPOINT_IN        0x80
#define ENDPOINT_NUMBER    0x0f
#define ENDPOINT_TYPE      0x03
#define ENDPOINT_BULK      0x02
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

uint64_t usb_clear_halt(uint8_t address)
{
    return usb_request(TO_ENDPOINT, 1, 0, address, 0);
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
    if (packet == 9 && bytes[3] >= 3) { /* a power of two (USB 3.2, 9.6.1) */
        *ret_bytes = 512;
        return STATUS_OK;
    }
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

/* Table 9-12. Whether an interface is one of these that okram drives. */
static bool is_wanted(const uint8_t *d, bool storage, enum usb_kind *ret_kind)
{
    if (d[0] < INTERFACE_BYTES || d[3] != 0)
        return false;
    if (storage && d[5] == CLASS_STORAGE && d[6] == SUBCLASS_SCSI && d[7] == PROTOCOL_BULK)
        *ret_kind = USB_STORAGE;
    else if (!storage && d[5] == CLASS_HID && d[6] == SUBCLASS_BOOT && d[7] == PROTOCOL_KEYBOARD)
        *ret_kind = USB_KEYBOARD;
    else if (!storage && d[5] == CLASS_HUB)
        *ret_kind = USB_HUB;
    else
        return false;
    return true;
}

/* Table 9-13. Whether an endpoint of that type has a number and packets. */
static bool is_endpoint(const uint8_t *d, unsigned type)
{
    return d[0] >= ENDPOINT_BYTES && d[2] & ENDPOINT_NUMBER && (d[3] & ENDPOINT_TYPE) == type &&
           read16(d + 4) & PACKET_BYTES_MASK;
}

/* Takes an endpoint of the wanted interface. Returns whether it has all that it needs. */
static bool take_endpoint(struct usb_function *f, const uint8_t *d)
{
    bool in = d[0] >= ENDPOINT_BYTES && d[2] & ENDPOINT_IN;

    if (!is_endpoint(d, f->kind == USB_STORAGE ? ENDPOINT_BULK : ENDPOINT_INTERRUPT))
        return false;
    if (in && !f->endpoint) {
        f->endpoint = d[2] & ENDPOINT_NUMBER;
        f->packet_bytes = read16(d + 4) & PACKET_BYTES_MASK;
        f->interval = d[6];
    } else if (!in && !f->endpoint_out && f->kind == USB_STORAGE) {
        f->endpoint_out = d[2] & ENDPOINT_NUMBER;
        f->packet_bytes_out = read16(d + 4) & PACKET_BYTES_MASK;
    }
    return f->endpoint && (f->endpoint_out || f->kind != USB_STORAGE);
}

static enum status find(struct cursor c, uint8_t configuration, bool storage,
                        struct usb_function *ret_function)
{
    struct usb_function f = { 0 };
    bool wanted = false;
    const uint8_t *d;

    while ((d = next(&c))) {
        if (d[1] == DESCRIPTOR_INTERFACE) {
            f = (struct usb_function){ .configuration = configuration };
            wanted = is_wanted(d, storage, &f.kind);
            f.interface = wanted ? d[2] : 0;
        } else if (d[1] == DESCRIPTOR_ENDPOINT && wanted && take_endpoint(&f, d)) {
            *ret_function = f;
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

enum status usb_function_find(const uint8_t *configuration, size_t n,
                              struct usb_function *ret_function)
{
    struct cursor c = { configuration, configuration + n };
    uint16_t all;

    if (usb_configuration_bytes(configuration, n, &all) != STATUS_OK)
        return STATUS_NOT_FOUND;
    if (all < n)
        c.end = configuration + all;
    if (find(c, configuration[5], false, ret_function) == STATUS_OK)
        return STATUS_OK;
    return find(c, configuration[5], true, ret_function);
}

/* Byte 0 has the modifiers, byte 1 is reserved (B.1). */
#define FIRST_KEY 2

#define USAGE_LAST_ERROR 3 /* 1: too many keys, 2, 3: errors; 0: no key */

/* HID Usage Tables 1.12, 10: keyboard page. */
static const struct {
    uint8_t usage;
    int key;
} known[] = {
    { 0x14, 'q' },       { 0x11, 'n' },       { 0x0b, 'h' },        { 0x15, 'r' }, { 0x0f, 'l' },
    { 0x05, 'b' },       { 0x06, 'c' },       { 0x1b, 'x' },        { 0x16, 's' }, { 0x2c, ' ' },
    { 0x28, KEY_ENTER }, { 0x58, KEY_ENTER }, { 0x29, KEY_ESCAPE },
};

static int key_of(uint8_t usage)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].usage == usage)
            return known[i].key;
    }
    return KEY_NONE;
}

static bool was_down(const struct boot_keys *keys, uint8_t usage)
{
    for (size_t i = 0; i < BOOT_REPORT_KEYS; i++) {
        if (keys->usage[i] == usage)
            return true;
    }
    return false;
}

size_t boot_report_keys(struct boot_keys *keys, const uint8_t *report, size_t n,
                        int ret_key[BOOT_REPORT_KEYS])
{
    struct boot_keys now = { 0 };
    size_t n_pressed = 0;

    if (n <= FIRST_KEY)
        return 0;
    for (size_t i = 0; i < BOOT_REPORT_KEYS && FIRST_KEY + i < n; i++) {
        now.usage[i] = report[FIRST_KEY + i];
        if (now.usage[i] && now.usage[i] <= USAGE_LAST_ERROR)
            return 0;
    }
    for (size_t i = 0; i < BOOT_REPORT_KEYS; i++) {
        int key = key_of(now.usage[i]);

        if (key != KEY_NONE && !was_down(keys, now.usage[i]))
            ret_key[n_pressed++] = key;
    }
    *keys = now;
    return n_pressed;
}

/* Table 11-15. */
#define CLASS_FROM_HUB  0xa0
#define CLASS_FROM_PORT 0xa3
#define CLASS_TO_PORT   0x23

/* Table 11-16. */
#define GET_STATUS    0
#define CLEAR_FEATURE 1
#define SET_FEATURE   3

#define DESCRIPTOR_HUB 0x29

#define PORT_CONNECTED  (1u << 0)
#define PORT_ENABLED    (1u << 1)
#define PORT_LOW_SPEED  (1u << 9)
#define PORT_HIGH_SPEED (1u << 10)

#define CHANGE_CONNECTION (1u << 0)
#define CHANGE_RESET      (1u << 4)

uint64_t hub_get_descriptor(void)
{
    return usb_request(CLASS_FROM_HUB, GET_DESCRIPTOR, DESCRIPTOR_HUB << 8, 0,
                       HUB_DESCRIPTOR_BYTES);
}

uint64_t hub_get_port_status(uint8_t port)
{
    return usb_request(CLASS_FROM_PORT, GET_STATUS, 0, port, HUB_STATUS_BYTES);
}

uint64_t hub_set_port_feature(uint8_t port, enum hub_feature feature)
{
    return usb_request(CLASS_TO_PORT, SET_FEATURE, (uint16_t)feature, port, 0);
}

uint64_t hub_clear_port_feature(uint8_t port, unsigned feature)
{
    return usb_request(CLASS_TO_PORT, CLEAR_FEATURE, (uint16_t)feature, port, 0);
}

enum status hub_descriptor_read(const uint8_t *bytes, size_t n, struct hub_descriptor *ret_hub)
{
    if (n < 7 || bytes[1] != DESCRIPTOR_HUB || bytes[2] == 0)
        return STATUS_INVALID;
    *ret_hub = (struct hub_descriptor){
        .n_ports = bytes[2] < HUB_PORTS_MAX ? bytes[2] : HUB_PORTS_MAX,
        .power_good_ms = (uint16_t)(2 * bytes[5]),
        .think_time = bytes[3] >> 5 & 3,
    };
    return STATUS_OK;
}

enum status hub_port_read(const uint8_t *bytes, size_t n, struct hub_port *ret_port)
{
    unsigned status, change;

    if (n < HUB_STATUS_BYTES)
        return STATUS_INVALID;
    status = bytes[0] | (unsigned)bytes[1] << 8;
    change = bytes[2] | (unsigned)bytes[3] << 8;
    *ret_port = (struct hub_port){
        .connected = status & PORT_CONNECTED,
        .enabled = status & PORT_ENABLED,
        .speed = status & PORT_LOW_SPEED    ? USB_LOW_SPEED
                 : status & PORT_HIGH_SPEED ? USB_HIGH_SPEED
                                            : USB_FULL_SPEED,
        .connection_change = change & CHANGE_CONNECTION,
        .reset_change = change & CHANGE_RESET,
        .changes = change & ((1u << HUB_CHANGES) - 1),
    };
    return STATUS_OK;
}
