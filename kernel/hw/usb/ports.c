// SPDX-License-Identifier: MIT
#include "usb/attach.h"

#include "usb/operation.h"
#include "usb/registers.h"

#define DEBOUNCE_MS   100 /* USB 2.0, 7.1.7.3 */
#define RESET_POLL_MS 20
#define RESET_POLLS   25
#define RECOVERY_MS   20  /* 7.1.7.5: 10 ms */
#define PATIENT_MS    200 /* at the last attempt */

static struct usb_device *device_at(struct controller *c, const struct usb_device *hub,
                                    uint8_t port)
{
    for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
        struct usb_device *d = &c->device[i];

        if (d->used && !d->gone && d->hub == hub && d->port == port)
            return d;
    }
    return NULL;
}

static void begin_work(struct controller *c, struct usb_device *hub, uint8_t port)
{
    c->work.hub = hub;
    c->work.port = port;
    c->work.device = NULL;
    c->work.tries = c->work.resets = 0;
}

static bool is_last_attempt(struct controller *c)
{
    return *controller_attempts_at(c, c->work.hub, c->work.port) == USB_ATTEMPTS_MAX;
}

/* After a reset. The last attempt has a second one. */
static void recover(struct controller *c, usb_step reset, usb_step attach)
{
    bool again = is_last_attempt(c) && !c->work.resets++;

    c->work.tries = 0;
    operation_delay(c, c->work.hub, is_last_attempt(c) ? PATIENT_MS : RECOVERY_MS,
                    again ? reset : attach);
}

/*
 * Whether something is to be attached now. replugged: it is not what was there before; lost: that
 * can no longer be reached.
 */
static bool is_new(struct controller *c, uint8_t *attempts, bool connected, bool replugged,
                   bool lost)
{
    struct usb_device *d = device_at(c, c->work.hub, c->work.port);

    if (replugged || !connected)
        *attempts = 0;
    if (d && (replugged || lost || !connected)) {
        operation_give_up(c, d, connected); /* once its slot is free, what came has its turn */
        return false;
    }
    if (!connected || d || *attempts == USB_ATTEMPTS_MAX)
        return false;
    ++*attempts;
    return true;
}

/* What has failed too often, or has no room, may be at address 0, or at one that another device
 * gets. */
static bool is_hopeless(struct controller *c, bool connected)
{
    return connected && is_last_attempt(c) && !device_at(c, c->work.hub, c->work.port);
}

static void attach_at_root(struct controller *c)
{
    uint32_t portsc = controller_read_port(c, c->work.port);
    uint32_t speed = XHCI_PORT_SPEED(portsc);

    if (portsc & XHCI_PORT_ENABLED && speed >= USB_FULL_SPEED && speed <= USB_SPEED_LAST)
        attach_begin(c, (enum usb_speed)speed);
}

static void reset_root(struct controller *c);

static void wait_for_root_reset(struct controller *c)
{
    uint32_t portsc = controller_read_port(c, c->work.port);

    if (portsc & XHCI_PORT_RESET && ++c->work.tries < RESET_POLLS)
        operation_delay(c, NULL, RESET_POLL_MS, wait_for_root_reset);
    else if (portsc & XHCI_PORT_ENABLED)
        recover(c, reset_root, attach_at_root);
    else
        c->changed_port[c->work.port] = true; /* it has one attempt less */
}

static void reset_root(struct controller *c)
{
    if (!(controller_read_port(c, c->work.port) & XHCI_PORT_CONNECTED))
        return;
    controller_write_port(c, c->work.port, XHCI_PORT_RESET);
    operation_delay(c, NULL, RESET_POLL_MS, wait_for_root_reset);
}

static void begin_root(struct controller *c, uint8_t port)
{
    uint32_t portsc = controller_read_port(c, port);

    c->changed_port[port] = false;
    controller_write_port(c, port, portsc & XHCI_PORT_CHANGES);
    begin_work(c, NULL, port);
    if (is_new(c, &c->attempts[port], portsc & XHCI_PORT_CONNECTED,
               portsc & XHCI_PORT_CHANGE_CONNECTION, portsc & XHCI_PORT_CHANGE_ENABLED))
        operation_delay(c, NULL, DEBOUNCE_MS, reset_root);
    else if (portsc & XHCI_PORT_ENABLED && is_hopeless(c, portsc & XHCI_PORT_CONNECTED))
        controller_write_port(c, port, XHCI_PORT_ENABLED); /* which disables it */
}

static void ask_for_status(struct controller *c, usb_step next)
{
    operation_control(c, c->work.hub, hub_get_port_status(c->work.port), next);
}

/* A hub that does not know its port's status is given up. */
static bool read_status(struct controller *c)
{
    if (hub_port_read(c->buffer, c->operation.received, &c->work.status) == STATUS_OK)
        return true;
    operation_give_up(c, c->work.hub, true);
    return false;
}

static void attach_at_hub(struct controller *c)
{
    attach_begin(c, c->work.status.speed);
}

static void reset_at_hub(struct controller *c);

static void recover_at_hub(struct controller *c)
{
    recover(c, reset_at_hub, attach_at_hub);
}

static void wait_for_hub_reset(struct controller *c);

static void ask_for_reset(struct controller *c)
{
    ask_for_status(c, wait_for_hub_reset);
}

/* HUB_CHANGES - 1 is the reset's change. */
static void wait_for_hub_reset(struct controller *c)
{
    if (!read_status(c))
        return;
    if (!c->work.status.reset_change && ++c->work.tries < RESET_POLLS)
        operation_delay(c, c->work.hub, RESET_POLL_MS, ask_for_reset);
    else if (c->work.status.reset_change && c->work.status.enabled)
        operation_control(
            c, c->work.hub,
            hub_clear_port_feature(c->work.port, HUB_CHANGE_CONNECTION + HUB_CHANGES - 1),
            recover_at_hub);
    else
        c->work.hub->changed_ports |= 1u << c->work.port;
}

static void wait_at_hub(struct controller *c)
{
    operation_delay(c, c->work.hub, RESET_POLL_MS, ask_for_reset);
}

static void reset_at_hub(struct controller *c)
{
    operation_control(c, c->work.hub, hub_set_port_feature(c->work.port, HUB_PORT_RESET),
                      wait_at_hub);
}

/* One change after the other; then what they mean. */
static void clear_changes(struct controller *c)
{
    struct usb_device *hub = c->work.hub;

    for (unsigned i = 0; i < HUB_CHANGES; i++) {
        if (c->work.changes & 1u << i) {
            c->work.changes &= (uint8_t) ~(1u << i);
            operation_control(c, hub,
                              hub_clear_port_feature(c->work.port, HUB_CHANGE_CONNECTION + i),
                              clear_changes);
            return;
        }
    }
    if (is_new(c, &hub->attempts[c->work.port], c->work.status.connected,
               c->work.status.connection_change, false))
        operation_delay(c, hub, DEBOUNCE_MS, reset_at_hub);
    else if (c->work.status.enabled && is_hopeless(c, c->work.status.connected))
        operation_control(c, hub, hub_clear_port_feature(c->work.port, HUB_PORT_ENABLE), NULL);
}

static void take_status(struct controller *c)
{
    if (!read_status(c))
        return;
    c->work.changes = c->work.status.changes;
    clear_changes(c);
}

static void begin_at_hub(struct controller *c, struct usb_device *hub, uint8_t port)
{
    hub->changed_ports &= ~(1u << port);
    begin_work(c, hub, port);
    ask_for_status(c, take_status);
}

/* One that is gone; what was behind a hub before the hub. */
static struct usb_device *deepest_gone(struct controller *c)
{
    struct usb_device *found = NULL;

    for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
        struct usb_device *d = &c->device[i];

        if (d->used && d->gone && (!found || d->route.depth > found->route.depth))
            found = d;
    }
    return found;
}

/* A disabled slot's memory is the device's no longer (xHCI 1.2, 4.6.4). */
static bool free_one(struct controller *c)
{
    struct usb_device *d = deepest_gone(c);

    if (!d)
        return false;
    d->used = false;
    if (d->slot)
        operation_command(
            c, NULL, (struct trb){ .control = trb_control(TRB_DISABLE_SLOT, d->slot, 0) }, NULL);
    return true;
}

static bool begin_any_root(struct controller *c)
{
    for (uint32_t port = 1; port <= c->n_ports; port++) {
        if (c->driven_port[port] && c->changed_port[port]) {
            begin_root(c, (uint8_t)port);
            return true;
        }
    }
    return false;
}

static bool begin_any_at_hub(struct controller *c)
{
    for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
        struct usb_device *d = &c->device[i];

        if (!d->used || !d->listening || d->function.kind != USB_HUB)
            continue;
        for (uint8_t port = 1; port <= d->hub_data.n_ports; port++) {
            if (d->changed_ports & 1u << port) {
                begin_at_hub(c, d, port);
                return true;
            }
        }
    }
    return false;
}

bool ports_work(struct controller *c)
{
    if (c->operation.kind != OPERATION_NONE)
        return false;
    return free_one(c) || begin_any_root(c) || begin_any_at_hub(c);
}
