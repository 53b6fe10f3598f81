// SPDX-License-Identifier: MIT
#include "usb/operation.h"

#include "arch/tsc.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define TIMEOUT_MS 2000
#define BULK_MS    10000 /* a stick that erases flash lets a write wait */

static void begin(struct controller *c, enum operation_kind kind, struct usb_device *d, uint32_t ms,
                  usb_step next)
{
    c->operation = (struct operation){ .kind = kind,
                                       .device = d,
                                       .deadline = tsc_now() + tsc_from_us(ms * UINT64_C(1000)),
                                       .next = next };
}

void operation_command(struct controller *c, struct usb_device *d, struct trb command,
                       usb_step next)
{
    begin(c, OPERATION_COMMAND, d, TIMEOUT_MS, next);
    c->operation.trb = trb_ring_add(&c->commands, command);
    controller_ring(c, 0, 0);
}

/* 4.11.2.2: setup, data if there are any, status, which goes the other way. */
void operation_control(struct controller *c, struct usb_device *d, uint64_t setup, usb_step next)
{
    uint32_t bytes = min_u64(usb_request_length(setup), USB_CONTROL_MAX);

    begin(c, OPERATION_CONTROL, d, TIMEOUT_MS, next);
    c->operation.wanted = c->operation.received = bytes;
    memset(c->buffer, 0, USB_CONTROL_MAX);
    trb_ring_add(&d->control,
                 (struct trb){ .parameter = setup,
                               .status = 8,
                               .control = trb_control(TRB_SETUP, 0, 0) | TRB_IMMEDIATE |
                                          (bytes ? TRB_SETUP_IN : 0) });
    if (bytes)
        c->operation.data_trb =
            trb_ring_add(&d->control, (struct trb){ .parameter = c->buffer_phys,
                                                    .status = bytes,
                                                    .control = trb_control(TRB_DATA, 0, 0) |
                                                               TRB_ON_SHORT | TRB_IN });
    c->operation.trb = trb_ring_add(
        &d->control, (struct trb){ .control = trb_control(TRB_STATUS, 0, 0) | TRB_ON_COMPLETION |
                                              (bytes ? 0 : TRB_IN) });
    controller_ring(c, d->slot, CONTEXT_CONTROL);
}

void operation_request(struct controller *c, struct usb_device *d, uint64_t setup, usb_step next)
{
    operation_control(c, d, setup, next);
    c->operation.stall_allowed = true;
}

static unsigned bulk_endpoint(const struct usb_device *d, bool in)
{
    return in ? CONTEXT_ENDPOINT_IN(d->function.endpoint)
              : CONTEXT_ENDPOINT_OUT(d->function.endpoint_out);
}

void operation_bulk(struct controller *c, struct usb_device *d, bool in, struct span memory,
                    usb_step next)
{
    begin(c, OPERATION_BULK, d, BULK_MS, next);
    c->stalled.is_bulk = false;
    c->operation.in = in;
    c->operation.wanted = (uint32_t)memory.size;
    c->operation.trb = trb_ring_add(in ? &d->in : &d->out,
                                    (struct trb){ .parameter = memory.base,
                                                  .status = (uint32_t)memory.size,
                                                  .control = trb_control(TRB_NORMAL, 0, 0) |
                                                             TRB_ON_SHORT | TRB_ON_COMPLETION });
    controller_ring(c, d->slot, bulk_endpoint(d, in));
}

void operation_delay(struct controller *c, struct usb_device *d, uint32_t ms, usb_step next)
{
    begin(c, OPERATION_DELAY, d, ms, next);
}

/* The step may begin the next operation. */
static void end_well(struct controller *c)
{
    const struct usb_device *d = c->operation.device;
    usb_step next = c->operation.next;

    c->operation.kind = OPERATION_NONE;
    if (next && !(d && d->gone))
        next(c);
}

/* The endpoint that has stalled. */
static unsigned stalled_endpoint(const struct controller *c, const struct usb_device *d)
{
    return c->stalled.is_bulk ? bulk_endpoint(d, c->stalled.in) : CONTEXT_CONTROL;
}

/* The device's side of a bulk endpoint: its data toggle begins anew there, too. */
static void clear_halt(struct controller *c)
{
    struct usb_device *d = c->operation.device;
    uint8_t address = c->stalled.in ? d->function.endpoint | 0x80 : d->function.endpoint_out;

    operation_control(c, d, usb_clear_halt(address), c->stalled.next);
}

/* A stall halts the endpoint (4.8.3): it is reset, and its ring goes on after the transfer. */
static void set_dequeue(struct controller *c)
{
    struct usb_device *d = c->operation.device;
    const struct trb_ring *ring = !c->stalled.is_bulk ? &d->control
                                  : c->stalled.in     ? &d->in
                                                      : &d->out;

    operation_command(c, d,
                      (struct trb){ .parameter = trb_ring_dequeue(ring),
                                    .control = trb_control(TRB_SET_DEQUEUE, d->slot,
                                                           (uint8_t)stalled_endpoint(c, d)) },
                      c->stalled.is_bulk ? clear_halt : c->stalled.next);
}

static void recover_from_stall(struct controller *c)
{
    struct usb_device *d = c->operation.device;

    c->stalled.next = c->operation.next;
    c->stalled.is_bulk = c->operation.kind == OPERATION_BULK;
    c->stalled.in = c->operation.in;
    operation_command(c, d,
                      (struct trb){ .control = trb_control(TRB_RESET_ENDPOINT, d->slot,
                                                           (uint8_t)stalled_endpoint(c, d)) },
                      set_dequeue);
}

void operation_look_again(struct controller *c, struct usb_device *hub, uint8_t port)
{
    if (hub)
        hub->changed_ports |= 1u << port;
    else
        c->changed_port[port] = true;
}

/* With a hub, all that is connected through it. */
static void mark_gone(struct controller *c, struct usb_device *gone)
{
    gone->gone = true;
    for (unsigned depth = 0; depth < USB_DEPTH_MAX; depth++) {
        for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
            struct usb_device *d = &c->device[i];

            if (d->used && d->hub && d->hub->gone)
                d->gone = true;
        }
    }
}

void operation_give_up(struct controller *c, struct usb_device *d, bool again)
{
    if (again)
        operation_look_again(c, d->hub, d->port);
    mark_gone(c, d);
    if (c->operation.kind != OPERATION_COMMAND && c->operation.device && c->operation.device->gone)
        c->operation.kind = OPERATION_NONE;
}

/* What is under way failed. */
static void fail_operation(struct controller *c)
{
    struct usb_device *d = c->operation.device;

    c->operation.kind = OPERATION_NONE;
    if (d)
        operation_give_up(c, d, true);
}

/* A slot that was enabled will be disabled, even if its device has gone meanwhile. */
static void note_slot(struct usb_device *d, const struct trb *event)
{
    if (d && !d->slot && trb_slot(event) <= USB_SLOTS_MAX)
        d->slot = trb_slot(event);
}

static void receive_command(struct controller *c, const struct trb *event)
{
    if (c->operation.kind != OPERATION_COMMAND || event->parameter != c->operation.trb)
        return;
    note_slot(c->operation.device, event);
    if (trb_code(event) == TRB_CODE_SUCCESS)
        end_well(c);
    else
        fail_operation(c);
}

static void receive_transfer(struct controller *c, const struct trb *event)
{
    struct operation *o = &c->operation;
    enum trb_code code = trb_code(event);

    if (o->kind != OPERATION_CONTROL || trb_slot(event) != o->device->slot ||
        trb_ring_index(&o->device->control, event->parameter) == o->device->control.n)
        return;
    if (code == TRB_CODE_STALL && o->stall_allowed) {
        recover_from_stall(c);
    } else if (code != TRB_CODE_SUCCESS && code != TRB_CODE_SHORT_PACKET) {
        fail_operation(c);
    } else if (event->parameter == o->trb) {
        end_well(c);
    } else if (event->parameter == o->data_trb) {
        o->received = o->wanted - min_u64(trb_residue(event), o->wanted);
    }
}

/* Each transfer is one TRB: an event about another is an old one. */
static void receive_bulk(struct controller *c, const struct trb *event)
{
    struct operation *o = &c->operation;
    enum trb_code code = trb_code(event);

    if (trb_slot(event) != o->device->slot || event->parameter != o->trb ||
        trb_endpoint(event) != bulk_endpoint(o->device, o->in))
        return;
    if (code == TRB_CODE_STALL) {
        recover_from_stall(c);
    } else if (code != TRB_CODE_SUCCESS && code != TRB_CODE_SHORT_PACKET) {
        fail_operation(c);
    } else {
        o->received = o->wanted - min_u64(trb_residue(event), o->wanted);
        end_well(c);
    }
}

void operation_receive(struct controller *c, const struct trb *event)
{
    if (trb_type(event) == TRB_EVENT_COMMAND)
        receive_command(c, event);
    else if (c->operation.kind == OPERATION_BULK)
        receive_bulk(c, event);
    else
        receive_transfer(c, event);
}

bool operation_expire(struct controller *c)
{
    if (c->operation.kind == OPERATION_NONE || tsc_now() < c->operation.deadline)
        return false;
    if (c->operation.kind == OPERATION_DELAY)
        end_well(c);
    else if (c->operation.kind == OPERATION_COMMAND)
        controller_fail(c, "does not answer");
    else
        fail_operation(c);
    return true;
}
