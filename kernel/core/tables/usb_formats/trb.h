// SPDX-License-Identifier: MIT
/*
 * The rings by which an xHCI controller and its driver exchange transfer request blocks, TRBs (xHCI
 * 1.2, 4.9 and 6.4). The folder: the data of USB and xHCI, without the devices: rings here,
 * contexts (context.h), and requests to devices with their answers (descriptors.h).
 *
 * The memory of a ring may be faulty: no index is ever read from it, and an address that the
 * controller returns is checked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trb {
    uint64_t parameter;
    uint32_t status, control;
};
_Static_assert(sizeof(struct trb) == 16, "xHCI 1.2, 4.11.1");

/* Bits of control (6.4.1 to 6.4.3). */
#define TRB_CYCLE         1u
#define TRB_TOGGLE_CYCLE  (1u << 1)
#define TRB_ON_SHORT      (1u << 2) /* an event for a packet that is short */
#define TRB_ON_COMPLETION (1u << 5) /* an event at the end */
#define TRB_IMMEDIATE     (1u << 6) /* the data are in parameter */
#define TRB_BLOCK_ADDRESS (1u << 9) /* of Address Device: the device keeps address 0 (4.6.5) */
#define TRB_IN            (1u << 16)
#define TRB_SETUP_IN      (3u << 16) /* of a setup stage: what data stage follows */

/* Table 6-91. */
enum trb_type {
    TRB_NORMAL = 1,
    TRB_SETUP = 2,
    TRB_DATA = 3,
    TRB_STATUS = 4,
    TRB_LINK = 6,
    TRB_ENABLE_SLOT = 9,
    TRB_DISABLE_SLOT = 10,
    TRB_ADDRESS_DEVICE = 11,
    TRB_CONFIGURE_ENDPOINT = 12,
    TRB_EVALUATE_CONTEXT = 13,
    TRB_RESET_ENDPOINT = 14,
    TRB_SET_DEQUEUE = 16,
    TRB_EVENT_TRANSFER = 32,
    TRB_EVENT_COMMAND = 33,
    TRB_EVENT_PORT = 34,
};

/* Table 6-90. */
enum trb_code { TRB_CODE_SUCCESS = 1, TRB_CODE_STALL = 6, TRB_CODE_SHORT_PACKET = 13 };

static inline uint32_t trb_control(enum trb_type type, uint8_t slot, uint8_t endpoint)
{
    return (uint32_t)slot << 24 | (uint32_t)(endpoint & 31) << 16 | (uint32_t)type << 10;
}

static inline enum trb_type trb_type(const struct trb *t)
{
    return (enum trb_type)(t->control >> 10 & 63);
}

/* Of an event (6.4.2): what it is about, how it ended, and the bytes that were not transferred. */
static inline uint8_t trb_slot(const struct trb *t)
{
    return (uint8_t)(t->control >> 24);
}

static inline uint8_t trb_endpoint(const struct trb *t)
{
    return t->control >> 16 & 31;
}

static inline uint8_t trb_port(const struct trb *t)
{
    return (uint8_t)(t->parameter >> 24);
}

static inline enum trb_code trb_code(const struct trb *t)
{
    return (enum trb_code)(t->status >> 24);
}

static inline uint32_t trb_residue(const struct trb *t)
{
    return t->status & 0xffffff;
}

/* A ring that okram writes: commands, or transfers of one endpoint. */
struct trb_ring {
    struct trb *trb;
    uint64_t phys;
    uint32_t n;  /* the last one links to the first */
    uint32_t at; /* where the next is written; below n - 1 */
    uint32_t cycle;
};

/* Clears the memory. n >= 2. */
void trb_ring_init(struct trb_ring *r, void *memory, uint64_t phys, uint32_t n);

/* Writes one (its cycle bit 0) and hands it over. Returns its physical address. */
uint64_t trb_ring_add(struct trb_ring *r, struct trb t);

/* Which TRB is at the address; n: none that trb_ring_add has written. */
uint32_t trb_ring_index(const struct trb_ring *r, uint64_t phys);

/* The next one's address, with the cycle bit as Set TR Dequeue Pointer wants it (6.4.3.9). */
uint64_t trb_ring_dequeue(const struct trb_ring *r);

/* The ring of one segment that the controller writes. */
struct event_ring {
    struct trb *trb;
    uint64_t phys;
    uint32_t n, at, cycle;
};

void event_ring_init(struct event_ring *r, void *memory, uint64_t phys, uint32_t n);

/* False: nothing has come. */
bool event_ring_next(struct event_ring *r, struct trb *ret_event);

/* The physical address of the next event. */
uint64_t event_ring_dequeue(const struct event_ring *r);
