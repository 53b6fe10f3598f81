// SPDX-License-Identifier: MIT
#include "usb/events.h"

#include "usb/attach.h"
#include "usb/operation.h"

/* At a time: a ring full of garbage does not keep okram from its work. */
#define EVENTS_MAX 64

static struct usb_device *listening_device(struct controller *c, const struct trb *event)
{
    for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
        struct usb_device *d = &c->device[i];

        if (d->used && !d->gone && d->listening && d->slot == trb_slot(event) &&
            trb_endpoint(event) == CONTEXT_ENDPOINT_IN(d->function.endpoint))
            return d;
    }
    return NULL;
}

static void take_keys(struct controller *c, struct usb_device *d, const uint8_t *report,
                      uint32_t bytes, events_key pressed)
{
    int key[BOOT_REPORT_KEYS];
    size_t n = boot_report_keys(&d->keys, report, bytes, key);

    for (size_t i = 0; i < n; i++)
        pressed(key[i]);
    *controller_attempts(c, d) = 0; /* it works: what failed before is forgotten */
}

/* USB 2.0, 11.12.4: bit n is port n. */
static void take_hub_changes(struct usb_device *d, const uint8_t *report, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && i < sizeof(d->changed_ports); i++)
        d->changed_ports |= (uint32_t)report[i] << 8 * i;
}

static void take_report(struct controller *c, struct usb_device *d, const struct trb *event,
                        events_key pressed)
{
    enum trb_code code = trb_code(event);
    const uint8_t *report;
    uint32_t bytes;

    if (code != TRB_CODE_SUCCESS && code != TRB_CODE_SHORT_PACKET) {
        operation_give_up(c, d, true);
        return;
    }
    report = attach_take_report(c, d, event, &bytes);
    if (d->function.kind == USB_KEYBOARD)
        take_keys(c, d, report, bytes, pressed);
    else
        take_hub_changes(d, report, bytes);
}

static void take_event(struct controller *c, const struct trb *event, events_key pressed)
{
    struct usb_device *d;

    switch (trb_type(event)) {
    case TRB_EVENT_PORT:
        c->changed_port[trb_port(event)] = true;
        break;
    case TRB_EVENT_COMMAND:
        operation_receive(c, event);
        break;
    case TRB_EVENT_TRANSFER:
        d = listening_device(c, event);
        if (d)
            take_report(c, d, event, pressed);
        else
            operation_receive(c, event);
        break;
    default:
        break;
    }
}

bool events_take(struct controller *c, events_key pressed)
{
    struct trb event;
    unsigned n = 0;

    while (n < EVENTS_MAX && c->state == CONTROLLER_RUNNING &&
           event_ring_next(&c->events, &event)) {
        take_event(c, &event, pressed);
        n++;
    }
    if (n && c->state == CONTROLLER_RUNNING)
        controller_events_taken(c);
    return n != 0;
}
