// SPDX-License-Identifier: MIT
#include "usb_formats/context.h"

#include "lib/string.h"

#define ENDPOINT_BULK_OUT     2u
#define ENDPOINT_CONTROL      4u
#define ENDPOINT_BULK_IN      6u
#define ENDPOINT_INTERRUPT_IN 7u
#define ERRORS_ALLOWED        3u /* retries before an error is reported */
#define ROUTE_PORT_MAX        15u
#define RING_CYCLE            1u

struct usb_route usb_route_behind(const struct usb_route *hub, uint8_t hub_slot, uint8_t port,
                                  enum usb_speed speed)
{
    struct usb_route route = *hub;
    uint32_t digit = port < ROUTE_PORT_MAX ? port : ROUTE_PORT_MAX;

    route.speed = speed;
    route.string |= digit << 4 * hub->depth;
    route.depth++;
    if (speed == USB_HIGH_SPEED) {
        route.tt_slot = route.tt_port = 0;
    } else if (hub->speed == USB_HIGH_SPEED) {
        route.tt_slot = hub_slot;
        route.tt_port = port;
    }
    return route;
}

uint16_t usb_first_packet_bytes(enum usb_speed speed)
{
    return speed >= USB_SUPER_SPEED ? 512 : speed == USB_HIGH_SPEED ? 64 : 8;
}

/* Number 0 is the input control context, 1 the slot, 2 endpoint 0 (6.2.5). */
static uint32_t *entry(const struct context *c, unsigned number)
{
    return (uint32_t *)(void *)(c->bytes + number * c->entry_bytes);
}

/* The slot (6.2.2). */
static void set_slot(const struct context *c, const struct usb_route *route,
                     const struct context_hub *hub, unsigned last_endpoint)
{
    uint32_t *slot = entry(c, 1);

    slot[0] = route->string | (uint32_t)route->speed << 20 | (uint32_t)(hub->n_ports != 0) << 26 |
              (uint32_t)last_endpoint << 27;
    slot[1] = (uint32_t)route->root_port << 16 | (uint32_t)hub->n_ports << 24;
    slot[2] = route->tt_slot | (uint32_t)route->tt_port << 8 | (uint32_t)hub->think_time << 16;
}

/* The interval is 2^n microframes of 125 us. */
static uint8_t interval_of(enum usb_speed speed, uint8_t descriptor_interval)
{
    uint8_t n = 3;

    if (speed >= USB_HIGH_SPEED) {
        if (descriptor_interval < 1)
            return 0;
        return descriptor_interval < 16 ? descriptor_interval - 1 : 15;
    }
    while (n < 10 && 2u << (n - 3) <= descriptor_interval)
        n++;
    return n;
}

static unsigned type_of(const struct context_endpoint *endpoint)
{
    if (endpoint->number == CONTEXT_CONTROL)
        return ENDPOINT_CONTROL;
    if (!endpoint->is_bulk)
        return ENDPOINT_INTERRUPT_IN;
    return endpoint->number % 2 ? ENDPOINT_BULK_IN : ENDPOINT_BULK_OUT;
}

/* 6.2.3. Bulk without bursts, which any device takes. */
static void set_endpoint(const struct context *c, const struct context_endpoint *endpoint,
                         enum usb_speed speed)
{
    unsigned type = type_of(endpoint);
    uint32_t *e = entry(c, endpoint->number + 1);

    e[1] = ERRORS_ALLOWED << 1 | type << 3 | (uint32_t)endpoint->packet_bytes << 16;
    e[2] = (uint32_t)endpoint->ring_phys | RING_CYCLE;
    e[3] = (uint32_t)(endpoint->ring_phys >> 32);
    e[4] = endpoint->is_bulk ? 1024 : 8; /* average TRB length (4.14.1.1) */
    if (type != ENDPOINT_INTERRUPT_IN)
        return;
    e[0] = (uint32_t)interval_of(speed, endpoint->interval) << 16;
    e[4] |= (uint32_t)endpoint->packet_bytes << 16; /* the most of an interval */
}

void context_make(const struct context *c, const struct usb_route *route,
                  const struct context_hub *hub, const struct context_endpoint *endpoint, size_t n,
                  bool with_slot)
{
    unsigned last = 0;

    memset(c->bytes, 0, 33 * c->entry_bytes);
    entry(c, 0)[1] = with_slot; /* bit n: endpoint n, 0: the slot (6.2.5.1) */
    for (size_t i = 0; i < n; i++) {
        entry(c, 0)[1] |= 1u << endpoint[i].number;
        last = endpoint[i].number > last ? endpoint[i].number : last;
        set_endpoint(c, &endpoint[i], route->speed);
    }
    set_slot(c, route, hub, last);
}
