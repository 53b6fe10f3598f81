// SPDX-License-Identifier: MIT
/*
 * The input context, by which a driver says to an xHCI controller what a device and its endpoints
 * are (xHCI 1.2, 6.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * As in PORTSC and in the slot context (7.2.2.1.1, default speed IDs). Those above are SuperSpeed,
 * too, and faster.
 */
enum usb_speed {
    USB_FULL_SPEED = 1,
    USB_LOW_SPEED = 2,
    USB_HIGH_SPEED = 3,
    USB_SUPER_SPEED = 4,
    USB_SPEED_LAST = 7,
};

/* Where a device is, and what the controller must know to reach it. */
struct usb_route {
    enum usb_speed speed;
    uint8_t root_port; /* from 1 */
    uint8_t depth;     /* hubs between: 0 at a root port */
    uint32_t string; /* a port of each of them, 4 bits, nearest to the root first (8.9 of USB 3) */
    uint8_t tt_slot; /* the high-speed hub that translates for it; 0: none */
    uint8_t tt_port; /* of that hub */
};

/* Hubs one behind the other (USB 2.0, 4.1.1). */
#define USB_DEPTH_MAX 5

/* Of a device at a hub's port, from 1. hub_slot: of that hub. */
struct usb_route usb_route_behind(const struct usb_route *hub, uint8_t hub_slot, uint8_t port,
                                  enum usb_speed speed);

/* The first packet size of endpoint 0, until the device descriptor is known (USB 2.0, 5.5.3). */
uint16_t usb_first_packet_bytes(enum usb_speed speed);

/* The endpoint numbers of xHCI (4.5.1): the default endpoint; others by their number. */
#define CONTEXT_CONTROL              1u
#define CONTEXT_ENDPOINT_IN(number)  (2u * (number) + 1)
#define CONTEXT_ENDPOINT_OUT(number) (2u * (number))

/* All of an input context, with 64-byte entries. */
#define CONTEXT_INPUT_BYTES_MAX (33 * 64)

/* Memory of an input context. */
struct context {
    uint8_t *bytes;
    uint32_t entry_bytes; /* 32 or 64: HCCPARAMS1.CSZ */
};

/* What of a hub the controller must know; n_ports 0: no hub. */
struct context_hub {
    uint8_t n_ports;
    uint8_t think_time; /* of its transaction translator, coded as in 6.2.2 */
};

struct context_endpoint {
    unsigned number; /* CONTEXT_CONTROL, CONTEXT_ENDPOINT_IN() or _OUT() */
    bool is_bulk;    /* else it is endpoint 0, or an interrupt IN one */
    uint16_t packet_bytes;
    uint8_t interval; /* of its descriptor (bInterval); repaired where it is out of its range */
    uint64_t ring_phys;
};

/*
 * Makes the context for a command about n endpoints, the only ones in use but for endpoint 0
 * (6.2.2, 6.2.3). with_slot: the command is about the slot, too.
 */
void context_make(const struct context *c, const struct usb_route *route,
                  const struct context_hub *hub, const struct context_endpoint *endpoint, size_t n,
                  bool with_slot);
