// SPDX-License-Identifier: MIT
/*
 * USB devices that answer as the input says: keyboards, hubs, mice, sticks, and what is none of
 * these. Where the input has ended, all are keyboards, and all do what they should.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fuzz.h"

#define FAKE_HUB_PORTS 8

struct fake_usb {
    enum { FAKE_KEYBOARD, FAKE_HUB, FAKE_GARBAGE, FAKE_DEAF, FAKE_MOUSE, FAKE_STICK } kind;
    uint8_t packet_bytes;
    uint8_t n_ports;
    uint16_t status[FAKE_HUB_PORTS + 1], change[FAKE_HUB_PORTS + 1]; /* of a hub's ports */
    struct {
        enum { FAKE_WANTS_COMMAND, FAKE_HAS_DATA, FAKE_HAS_STATUS } phase;
        uint8_t command[31]; /* with its wrapper */
        bool is_refused;
    } stick;
};

/* What all sticks have; a test may look into it. */
#define FAKE_BLOCKS 64
struct fake_disk {
    uint8_t block[FAKE_BLOCKS][512];
    bool is_protected;
    bool has_large_blocks; /* it says so */
};
extern struct fake_disk fake_disk;

void fake_usb_begin(struct fake_usb *d, struct fuzz_input *in);

/* Plugs a device into a hub's port, or out of it. */
void fake_usb_plug(struct fake_usb *d, uint8_t port);

/* How a control transfer ends, and in ret_n the bytes in `data`; NO_ANSWER: never. */
#define FAKE_NO_ANSWER 0
uint8_t fake_usb_bulk(struct fake_usb *d, struct fuzz_input *input, bool in, uint8_t *data,
                      uint32_t room, uint32_t *ret_n);
uint8_t fake_usb_control(struct fake_usb *d, struct fuzz_input *in, uint64_t setup, uint8_t *data,
                         uint32_t room, uint32_t *ret_n);
