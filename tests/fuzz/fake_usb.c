// SPDX-License-Identifier: MIT
#include "fake_usb.h"

#include <string.h>

#define CODE_SUCCESS     1
#define CODE_TRANSACTION 4
#define CODE_STALL       6

#define CONNECTED         (1u << 0)
#define ENABLED           (1u << 1)
#define CHANGE_CONNECTION (1u << 0)
#define CHANGE_RESET      (1u << 4)

/* What a device does with a request, other than what it should. */
enum {
    STALLS = 0xf0,
    IS_SILENT,
    ANSWERS_ANYTHING,
    FAILS,
    CUTS_SHORT,
    CHANGES_A_BYTE,
};

static const uint8_t keyboard[] = { 9, 2, 34, 0,  1, 1, 0, 0xa0, 50, 9, 4, 0, 0,    1, 3, 1, 1,
                                    0, 9, 33, 17, 1, 0, 1, 34,   63, 0, 7, 5, 0x81, 3, 8, 0, 10 };
static const uint8_t mouse[] = { 9, 2, 34, 0,  1, 1, 0, 0xa0, 50, 9, 4, 0, 0,    1, 3, 1, 2,
                                 0, 9, 33, 17, 1, 0, 1, 34,   63, 0, 7, 5, 0x81, 3, 8, 0, 10 };
static const uint8_t hub[] = { 9, 2, 25, 0, 1, 1, 0, 0xe0, 0, 9, 4, 0, 0,
                               1, 9, 0,  0, 0, 7, 5, 0x81, 3, 1, 0, 12 };

void fake_usb_begin(struct fake_usb *d, struct fuzz_input *in)
{
    uint64_t choice = fuzz_number(in, 1);

    memset(d, 0, sizeof(*d));
    d->kind = choice & 3;
    if (d->kind == FAKE_KEYBOARD && choice & 0x80)
        d->kind = FAKE_MOUSE;
    d->packet_bytes = choice & 4 ? 64 : 8;
    if (d->kind != FAKE_HUB)
        return;
    d->n_ports = 1 + (choice >> 3) % FAKE_HUB_PORTS;
    for (uint64_t port = 1, plugged = fuzz_number(in, 1); port <= d->n_ports; port++) {
        if (plugged >> (port - 1) & 1)
            fake_usb_plug(d, (uint8_t)port);
    }
}

void fake_usb_plug(struct fake_usb *d, uint8_t port)
{
    if (!port || port > d->n_ports)
        return;
    d->status[port] = d->status[port] & CONNECTED ? 0 : CONNECTED;
    d->change[port] |= CHANGE_CONNECTION;
}

static uint32_t put(uint8_t *data, uint32_t room, const void *from, uint32_t n)
{
    n = n < room ? n : room;
    memcpy(data, from, n);
    return n;
}

static uint32_t describe(const struct fake_usb *d, unsigned type, uint8_t *data, uint32_t room)
{
    const uint8_t device[] = {
        18, 1, 0, 2, 0, 0, 0, d->packet_bytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
    };
    const uint8_t hub_data[] = { 9, 0x29, d->n_ports, 0, 0, 10, 0, 0, 0xff };

    switch (type) {
    case 1: return put(data, room, device, sizeof(device));
    case 2:
        return d->kind == FAKE_HUB     ? put(data, room, hub, sizeof(hub))
               : d->kind == FAKE_MOUSE ? put(data, room, mouse, sizeof(mouse))
                                       : put(data, room, keyboard, sizeof(keyboard));
    case 0x29: return put(data, room, hub_data, sizeof(hub_data));
    default: return 0;
    }
}

static uint32_t obey(struct fake_usb *d, uint64_t setup, uint8_t *data, uint32_t room)
{
    unsigned type = setup & 0xff, request = setup >> 8 & 0xff, value = setup >> 16 & 0xffff;
    unsigned port = (unsigned)(setup >> 32 & 0xff);

    if (request == 6)
        return describe(d, value >> 8, data, room);
    if (port > d->n_ports)
        return 0;
    if (type == 0xa3) {
        const uint16_t both[] = { d->status[port], d->change[port] };

        return put(data, room, both, sizeof(both));
    }
    if (type == 0x23 && request == 3 && value == 4 && d->status[port] & CONNECTED) {
        d->status[port] |= ENABLED;
        d->change[port] |= CHANGE_RESET;
    } else if (type == 0x23 && request == 1 && value == 1) {
        d->status[port] &= (uint16_t)~ENABLED;
    } else if (type == 0x23 && request == 1 && value >= 16 && value < 32) {
        d->change[port] &= (uint16_t) ~(1u << (value - 16));
    }
    return 0;
}

static uint32_t anything(struct fuzz_input *in, uint8_t *data, uint32_t room)
{
    size_t wanted = fuzz_number(in, 1), n;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &n);

    return put(data, room, bytes, (uint32_t)n);
}

uint8_t fake_usb_control(struct fake_usb *d, struct fuzz_input *in, uint64_t setup, uint8_t *data,
                         uint32_t room, uint32_t *ret_n)
{
    uint64_t does = fuzz_number(in, 1), at;

    *ret_n = 0;
    if (d->kind == FAKE_DEAF)
        return CODE_TRANSACTION;
    if (d->kind == FAKE_GARBAGE || does == ANSWERS_ANYTHING) {
        *ret_n = anything(in, data, room);
        return CODE_SUCCESS;
    }
    if (does == STALLS || does == IS_SILENT)
        return does == STALLS ? CODE_STALL : FAKE_NO_ANSWER;
    if (does == FAILS)
        return (uint8_t)fuzz_number(in, 1);
    *ret_n = obey(d, setup, data, room);
    if (does == CUTS_SHORT && (at = fuzz_number(in, 1)) < *ret_n)
        *ret_n = (uint32_t)at;
    if (does == CHANGES_A_BYTE && (at = fuzz_number(in, 1)) < *ret_n)
        data[at] = (uint8_t)fuzz_number(in, 1);
    return CODE_SUCCESS;
}
