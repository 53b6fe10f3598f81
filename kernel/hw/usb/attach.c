// SPDX-License-Identifier: MIT
#include "usb/attach.h"

#include "lib/minmax.h"
#include "lib/span.h"
#include "lib/string.h"
#include "usb/operation.h"

/* A device's page. */
enum {
    AT_CONTEXT = 0, /* up to 32 entries of 64 bytes (xHCI 1.2, 6.2.1) */
    AT_CONTROL = 2048,
    AT_IN = 2560, /* of an interrupt endpoint, or a bulk IN one */
    AT_OUT = 2816,
    AT_REPORTS = 3072,
    CONTROL_TRBS = 32,
    RING_TRBS = 16,     /* with its link */
    REPORTS_WAITED = 8, /* that can come between two polls */
};
_Static_assert(AT_CONTROL + CONTROL_TRBS * sizeof(struct trb) <= AT_IN, "no overlap");
_Static_assert(AT_IN + RING_TRBS * sizeof(struct trb) <= AT_OUT, "no overlap");
_Static_assert(AT_OUT + RING_TRBS * sizeof(struct trb) <= AT_REPORTS, "no overlap");
_Static_assert(AT_REPORTS + RING_TRBS * USB_REPORT_BYTES <= PAGE_SIZE, "in a page");

#define ADDRESS_MS    10  /* USB 2.0, 9.2.6.3: 2 ms; some need more */
#define PATIENT_MS    100 /* at the last attempt */
#define POWER_GOOD_MS 100 /* at least */

static void command(struct controller *c, enum trb_type type, uint64_t parameter, usb_step next)
{
    struct usb_device *d = c->work.device;

    operation_command(
        c, d, (struct trb){ .parameter = parameter, .control = trb_control(type, d->slot, 0) },
        next);
}

/* okram does not drive it. */
static void ignore(struct controller *c)
{
    struct usb_device *d = c->work.device;

    *controller_attempts(c, d) = USB_ATTEMPTS_MAX;
    if (d->hub)
        d->ignored = true;
    else
        operation_give_up(c, d, false);
}

static uint64_t phys_of_report(const struct usb_device *d, uint32_t i)
{
    return d->phys + AT_REPORTS + i * USB_REPORT_BYTES;
}

static uint32_t report_bytes(const struct usb_device *d)
{
    return min_u64(d->function.packet_bytes, USB_REPORT_BYTES);
}

/* Each TRB has its buffer, so that none is read while it is written. */
static void wait_for_report(struct controller *c, struct usb_device *d)
{
    trb_ring_add(&d->in, (struct trb){ .parameter = phys_of_report(d, d->in.at),
                                       .status = report_bytes(d),
                                       .control = trb_control(TRB_NORMAL, 0, 0) | TRB_ON_SHORT |
                                                  TRB_ON_COMPLETION });
    controller_ring(c, d->slot, CONTEXT_ENDPOINT_IN(d->function.endpoint));
}

static void listen(struct controller *c)
{
    struct usb_device *d = c->work.device;

    for (unsigned i = 0; i < REPORTS_WAITED; i++)
        wait_for_report(c, d);
    d->listening = true;
    c->had_keyboard |= d->function.kind == USB_KEYBOARD;
}

static void set_idle(struct controller *c)
{
    operation_request(c, c->work.device, usb_set_idle(c->work.device->function.interface), listen);
}

static void set_protocol(struct controller *c)
{
    operation_request(c, c->work.device, usb_set_boot_protocol(c->work.device->function.interface),
                      set_idle);
}

static void look_at_ports(struct controller *c)
{
    struct usb_device *d = c->work.device;

    d->changed_ports = (uint32_t)((UINT64_C(2) << d->hub_data.n_ports) - 2);
    listen(c);
}

/* work.port is now the hub's. */
static void power_port(struct controller *c)
{
    struct usb_device *d = c->work.device;

    if (c->work.port < d->hub_data.n_ports) {
        c->work.port++;
        operation_control(c, d, hub_set_port_feature(c->work.port, HUB_PORT_POWER), power_port);
    } else {
        operation_delay(c, d, max_u64(d->hub_data.power_good_ms, POWER_GOOD_MS), look_at_ports);
    }
}

static void power_ports(struct controller *c)
{
    c->work.port = 0;
    power_port(c);
}

static void take_disk(struct controller *c)
{
    c->work.device->is_disk = true;
}

static usb_step after_configuring(const struct usb_device *d)
{
    return d->function.kind == USB_HUB       ? power_ports
           : d->function.kind == USB_STORAGE ? take_disk
                                             : set_protocol;
}

/* xHCI 1.2, 4.6.6. */
static void configure_endpoints(struct controller *c)
{
    struct usb_device *d = c->work.device;
    const struct usb_function *f = &d->function;
    struct context_hub hub = { d->hub_data.n_ports, d->hub_data.think_time };
    bool is_bulk = f->kind == USB_STORAGE;
    const struct context_endpoint endpoints[] = {
        { CONTEXT_ENDPOINT_IN(f->endpoint), is_bulk, f->packet_bytes, f->interval,
          d->phys + AT_IN },
        { CONTEXT_ENDPOINT_OUT(f->endpoint_out), is_bulk, f->packet_bytes_out, 0,
          d->phys + AT_OUT },
    };

    trb_ring_init(&d->in, d->memory + AT_IN, d->phys + AT_IN, RING_TRBS);
    trb_ring_init(&d->out, d->memory + AT_OUT, d->phys + AT_OUT, RING_TRBS);
    context_make(&c->input, &d->route, &hub, endpoints, is_bulk ? 2 : 1, true);
    command(c, TRB_CONFIGURE_ENDPOINT, c->input_phys, after_configuring(d));
}

static void read_hub(struct controller *c)
{
    struct usb_device *d = c->work.device;

    if (d->route.depth == USB_DEPTH_MAX ||
        hub_descriptor_read(c->buffer, c->operation.received, &d->hub_data) != STATUS_OK)
        ignore(c);
    else
        configure_endpoints(c);
}

static void ask_for_hub(struct controller *c)
{
    operation_control(c, c->work.device, hub_get_descriptor(), read_hub);
}

/* A hub of USB 3 is another device at its USB 2 port. */
static bool is_driven(const struct controller *c, const struct usb_device *d)
{
    if (d->function.kind == USB_STORAGE)
        return c->wants_disks;
    return d->route.speed < USB_SUPER_SPEED;
}

static void read_configuration(struct controller *c)
{
    struct usb_device *d = c->work.device;

    if (usb_function_find(c->buffer, c->operation.received, &d->function) != STATUS_OK ||
        !is_driven(c, d))
        ignore(c);
    else
        operation_control(c, d, usb_set_configuration(d->function.configuration),
                          d->function.kind == USB_HUB ? ask_for_hub : configure_endpoints);
}

static void read_configuration_head(struct controller *c)
{
    uint16_t bytes;

    if (usb_configuration_bytes(c->buffer, c->operation.received, &bytes) != STATUS_OK) {
        ignore(c);
        return;
    }
    bytes = (uint16_t)min_u64(bytes, USB_CONTROL_MAX);
    operation_control(c, c->work.device, usb_get_descriptor(USB_DESCRIPTOR_CONFIGURATION, bytes),
                      read_configuration);
}

static void ask_for_configuration(struct controller *c)
{
    operation_control(
        c, c->work.device,
        usb_get_descriptor(USB_DESCRIPTOR_CONFIGURATION, USB_CONFIGURATION_HEAD_BYTES),
        read_configuration_head);
}

static void set_control(struct controller *c, uint64_t ring_phys, bool with_slot)
{
    const struct usb_device *d = c->work.device;
    struct context_endpoint endpoint = { .number = CONTEXT_CONTROL,
                                         .packet_bytes = d->packet_bytes,
                                         .ring_phys = ring_phys };

    context_make(&c->input, &d->route, &(struct context_hub){ 0 }, &endpoint, 1, with_slot);
}

/* The first packets were of the smallest size (xHCI 1.2, 4.3, step 7). */
static void read_device(struct controller *c)
{
    struct usb_device *d = c->work.device;
    uint16_t packet_bytes;

    if (usb_device_packet_bytes(c->buffer, c->operation.received, &packet_bytes) != STATUS_OK) {
        operation_give_up(c, d, true);
    } else if (packet_bytes == d->packet_bytes) {
        ask_for_configuration(c);
    } else {
        d->packet_bytes = packet_bytes;
        set_control(c, d->control.phys, false);
        command(c, TRB_EVALUATE_CONTEXT, c->input_phys, ask_for_configuration);
    }
}

static void ask_for_device(struct controller *c)
{
    operation_control(c, c->work.device,
                      usb_get_descriptor(USB_DESCRIPTOR_DEVICE, USB_DEVICE_HEAD_BYTES),
                      read_device);
}

static unsigned attempt(struct controller *c)
{
    return *controller_attempts(c, c->work.device);
}

static void let_address_settle(struct controller *c)
{
    operation_delay(c, c->work.device, attempt(c) < USB_ATTEMPTS_MAX ? ADDRESS_MS : PATIENT_MS,
                    ask_for_device);
}

/* xHCI 1.2, 4.6.5. Where endpoint 0 has been used, its ring goes on from there. */
static void address_device(struct controller *c, uint32_t flags, usb_step next)
{
    struct usb_device *d = c->work.device;

    set_control(c, trb_ring_dequeue(&d->control) & ~UINT64_C(1), true);
    operation_command(
        c, d,
        (struct trb){ .parameter = c->input_phys,
                      .control = trb_control(TRB_ADDRESS_DEVICE, d->slot, 0) | flags },
        next);
}

static void give_address(struct controller *c)
{
    address_device(c, 0, let_address_settle);
}

static void read_before_address(struct controller *c)
{
    struct usb_device *d = c->work.device;

    if (usb_device_packet_bytes(c->buffer, c->operation.received, &d->packet_bytes) != STATUS_OK)
        operation_give_up(c, d, true);
    else
        give_address(c);
}

static void ask_before_address(struct controller *c)
{
    operation_control(c, c->work.device,
                      usb_get_descriptor(USB_DESCRIPTOR_DEVICE, USB_DEVICE_HEAD_BYTES),
                      read_before_address);
}

/* xHCI 1.2, 4.3.3 and 4.3.4. */
static void set_address(struct controller *c)
{
    struct usb_device *d = c->work.device;

    if (!d->slot || d->slot > c->n_slots) {
        controller_fail(c, "returned an impossible slot");
        return;
    }
    trb_ring_init(&d->control, d->memory + AT_CONTROL, d->phys + AT_CONTROL, CONTROL_TRBS);
    d->packet_bytes = usb_first_packet_bytes(d->route.speed);
    c->contexts[d->slot] = d->phys + AT_CONTEXT;
    if (attempt(c) > 1)
        address_device(c, TRB_BLOCK_ADDRESS, ask_before_address);
    else
        give_address(c);
}

void attach_begin(struct controller *c, enum usb_speed speed)
{
    struct usb_device *d = controller_new_device(c);

    if (!d) {
        operation_look_again(c, c->work.hub, c->work.port);
        *controller_attempts_at(c, c->work.hub, c->work.port) = USB_ATTEMPTS_MAX;
        return;
    }
    d->hub = c->work.hub;
    d->port = c->work.port;
    if (d->hub)
        d->route = usb_route_behind(&d->hub->route, d->hub->slot, d->port, speed);
    else
        d->route = (struct usb_route){ .speed = speed, .root_port = d->port };
    c->work.device = d;
    command(c, TRB_ENABLE_SLOT, 0, set_address);
}

const uint8_t *attach_take_report(struct controller *c, struct usb_device *d,
                                  const struct trb *event, uint32_t *ret_bytes)
{
    static uint8_t report[USB_REPORT_BYTES];
    uint32_t i = trb_ring_index(&d->in, event->parameter);

    *ret_bytes = 0;
    if (i == d->in.n)
        return report;
    *ret_bytes = report_bytes(d) - min_u64(trb_residue(event), report_bytes(d));
    memcpy(report, d->memory + AT_REPORTS + i * USB_REPORT_BYTES, *ret_bytes);
    wait_for_report(c, d);
    return report;
}
