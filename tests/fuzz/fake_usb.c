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

static const uint8_t stick[] = { 9,    2, 32, 0, 1,    1, 0, 0x80, 50, 9, 4, 0,    0, 2, 8, 6,
                                 0x50, 0, 7,  5, 0x81, 2, 0, 2,    0,  7, 5, 0x02, 2, 0, 2, 0 };

struct fake_disk fake_disk;

void fake_usb_begin(struct fake_usb *d, struct fuzz_input *in)
{
    uint64_t choice = fuzz_number(in, 1);

    memset(d, 0, sizeof(*d));
    d->kind = choice & 3;
    if (d->kind == FAKE_KEYBOARD && choice & 0x80)
        d->kind = FAKE_MOUSE;
    if (d->kind == FAKE_KEYBOARD && choice & 0x40)
        d->kind = FAKE_STICK;
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
               : d->kind == FAKE_STICK ? put(data, room, stick, sizeof(stick))
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

/* The blocks of a READ(10) or WRITE(10), as far as there are such. */
static uint8_t *blocks_of(const uint8_t *command, uint32_t *ret_n)
{
    uint32_t first = (uint32_t)command[4] << 8 | command[5], n = command[8];

    if (command[2] || command[3] || command[7] || first + n > FAKE_BLOCKS || n * 512 > 4096)
        return NULL;
    *ret_n = n;
    return fake_disk.block[first];
}

/* What the command has to say, or takes. Returns the bytes; refused: false. */
static bool answer(const uint8_t *command, bool in, uint8_t *data, uint32_t room, uint32_t *ret_n)
{
    const uint8_t inquiry[36] = { 0, 0x80, 6, 2, 31 }, sense[18] = { 0x70, 0, 7 };
    const uint8_t capacity[8] = {
        0, 0, 0, FAKE_BLOCKS - 1, 0, 0, fake_disk.has_large_blocks ? 16 : 2, 0
    };
    uint8_t *at;
    uint32_t n = 0;

    *ret_n = 0;
    switch (command[0]) {
    case 0x00:
    case 0x35: return true;
    case 0x03: *ret_n = put(data, room, sense, sizeof(sense)); return in;
    case 0x12: *ret_n = put(data, room, inquiry, sizeof(inquiry)); return in;
    case 0x25: *ret_n = put(data, room, capacity, sizeof(capacity)); return in;
    case 0x28:
    case 0x2a:
        at = blocks_of(command, &n);
        if (!at || in != (command[0] == 0x28) || (!in && fake_disk.is_protected))
            return false;
        *ret_n = n * 512 < room ? n * 512 : room;
        memcpy(in ? data : at, in ? at : data, *ret_n);
        return true;
    default: return false;
    }
}

static uint32_t number_at(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* Bulk-Only Transport 1.0, as a device that does what it should. */
static uint8_t serve(struct fake_usb *d, bool in, uint8_t *data, uint32_t room, uint32_t *ret_n)
{
    uint8_t status[13] = "USBS";

    if (d->stick.phase == FAKE_WANTS_COMMAND) {
        if (in || room != sizeof(d->stick.command) || memcmp(data, "USBC", 4) != 0)
            return CODE_STALL;
        memcpy(d->stick.command, data, room);
        *ret_n = room;
        d->stick.is_refused = false;
        d->stick.phase = number_at(data + 8) ? FAKE_HAS_DATA : FAKE_HAS_STATUS;
        return CODE_SUCCESS;
    }
    if (d->stick.phase == FAKE_HAS_DATA) {
        d->stick.phase = FAKE_HAS_STATUS;
        d->stick.is_refused = !answer(d->stick.command + 15, in, data, room, ret_n);
        return d->stick.is_refused ? CODE_STALL : CODE_SUCCESS;
    }
    if (!in)
        return CODE_STALL;
    memcpy(status + 4, d->stick.command + 4, 4);
    status[12] = d->stick.is_refused;
    *ret_n = put(data, room, status, sizeof(status));
    d->stick.phase = FAKE_WANTS_COMMAND;
    return CODE_SUCCESS;
}

uint8_t fake_usb_bulk(struct fake_usb *d, struct fuzz_input *input, bool in, uint8_t *data,
                      uint32_t room, uint32_t *ret_n)
{
    uint64_t does = fuzz_number(input, 1), at;
    uint8_t code;

    *ret_n = 0;
    if (d->kind != FAKE_STICK)
        return CODE_STALL;
    if (does == STALLS && d->stick.phase == FAKE_HAS_DATA) {
        d->stick.phase = FAKE_HAS_STATUS;
        d->stick.is_refused = true;
    }
    if (does == STALLS || does == IS_SILENT)
        return does == STALLS ? CODE_STALL : FAKE_NO_ANSWER;
    if (does == FAILS)
        return (uint8_t)fuzz_number(input, 1);
    if (does == ANSWERS_ANYTHING) {
        *ret_n = in ? anything(input, data, room) : (uint32_t)fuzz_number(input, 1) % (room + 1);
        return CODE_SUCCESS;
    }
    code = serve(d, in, data, room, ret_n);
    if (does == CUTS_SHORT && (at = fuzz_number(input, 1)) < *ret_n)
        *ret_n = (uint32_t)at;
    if (in && does == CHANGES_A_BYTE && (at = fuzz_number(input, 1)) < *ret_n)
        data[at] = (uint8_t)fuzz_number(input, 1);
    return code;
}
