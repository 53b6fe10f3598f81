// SPDX-License-Identifier: MIT
/*
 * An xHCI controller (xHCI 1.2) whose answers come from the input, or one that does what it should
 * with devices that do not. A byte of the input decides each time; where the input has ended, all
 * is as it should be.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fake_machine.h"
#include "fake_usb.h"
#include "fuzz.h"

#define FAKE_PORTS_MAX 8
#define FAKE_SLOTS_MAX 32
#define FAKE_EXTENDED  16 /* words of extended capabilities */
#define FAKE_LOG       64

struct fake_ring {
    uint64_t at;
    uint32_t cycle;
};

struct fake_slot {
    bool enabled, addressed;
    uint8_t root_port;
    struct fake_usb device;
    struct fake_ring control, interrupt;
    bool halted;                /* endpoint 0 */
    uint8_t interrupt_endpoint; /* xHCI's number; 0: not configured */
    struct fake_bulk {
        uint8_t endpoint; /* likewise */
        struct fake_ring ring;
        bool halted;
    } in, out;
};

struct fake_xhci {
    struct fuzz_input *in;
    struct fuzz_input *devices; /* what they are, in the order of their addresses: else `in`, too */
    bool is_hostile;            /* else only the devices are */
    uint32_t capability[8];     /* the first words */
    uint32_t extended_at, extended[FAKE_EXTENDED];
    uint32_t n_ports, n_slots, context_bytes;
    uint32_t command, config;
    bool halted;
    uint32_t portsc[FAKE_PORTS_MAX + 1];
    unsigned resets[FAKE_PORTS_MAX + 1];
    uint32_t log[FAKE_LOG]; /* of the commands: their last words; the first so many */
    uint32_t n_logged;
    uint64_t command_ring, contexts, segments, dequeue; /* as written */
    struct fake_ring commands;
    uint32_t event_at, event_cycle;
    struct fake_slot slot[FAKE_SLOTS_MAX + 1];
};

/* What the input says the controller is. Takes the registers for fake_machine_begin(). */
struct fake_registers fake_xhci_begin(struct fake_xhci *x, struct fuzz_input *in);

/* Plugs something into a root port, or out of it. port: from 1. */
void fake_xhci_plug(struct fake_xhci *x, uint32_t port, bool connected);

/* A device sends n bytes on its interrupt endpoint, if it is listened to. */
void fake_xhci_report(struct fake_xhci *x, uint32_t slot, const uint8_t *bytes, uint32_t n);

/* An event as it is, but for its cycle bit. */
void fake_xhci_post(struct fake_xhci *x, uint64_t parameter, uint32_t status, uint32_t control);
