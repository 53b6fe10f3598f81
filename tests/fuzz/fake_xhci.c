// SPDX-License-Identifier: MIT
#include "fake_xhci.h"

#include <string.h>

#include "usb/controller.h"
#include "usb/registers.h"

#define CAPABILITY_BYTES 0x40
#define RUNTIME          0x2000
#define DOORBELLS        0x3000
#define EXTENDED         0x8000
#define EVENTS           256 /* of the one segment that okram gives */
#define REGISTERS_GONE   0xff
#define ANY_VALUE        0xf8 /* and above */
#define LEGACY_HEAD      (XHCI_EXTENDED_LEGACY | 4u << 8 | XHCI_LEGACY_BIOS_OWNED)
#define PROTOCOL_HEAD    (XHCI_EXTENDED_PROTOCOL | 2u << 24)
#define CODE_NO_SLOTS    9
#define CODE_TRANSACTION 4
#define EVENT_PORT       (TRB_EVENT_PORT << 10)

/* How a hostile controller ends a command. */
enum {
    ENDS_WITH = 0xf0, /* another code */
    ENDS_NEVER,
    ENDS_FOR_SLOT,
    ENDS_AT,
    ENDS_TWICE,
};

static uint64_t decision(const struct fake_xhci *x)
{
    return x->is_hostile ? fuzz_number(x->in, 1) : 0;
}

void fake_xhci_post(struct fake_xhci *x, uint64_t parameter, uint32_t status, uint32_t control)
{
    uint32_t next = (x->event_at + 1) % EVENTS;
    const uint64_t *segment = x->segments ? fake_dma(x->segments, 16) : NULL;
    struct trb *to;

    if (!segment)
        return;
    CHECK((uint32_t)segment[1] == EVENTS);
    if (!x->is_hostile && segment[0] + next * sizeof(*to) == (x->dequeue & ~UINT64_C(15)))
        return; /* full */
    to = fake_dma(segment[0] + x->event_at * sizeof(*to), sizeof(*to));
    *to = (struct trb){ parameter, status, (control & ~TRB_CYCLE) | x->event_cycle };
    x->event_at = next;
    if (!next)
        x->event_cycle ^= TRB_CYCLE;
}

/* False: there is none. */
static bool next_trb(struct fake_ring *r, struct trb *ret_trb, uint64_t *ret_at)
{
    for (unsigned links = 0; links < 2; links++) {
        const struct trb *t = r->at ? fake_dma(r->at, sizeof(*t)) : NULL;

        if (!t || (t->control & TRB_CYCLE) != r->cycle)
            return false;
        if (trb_type(t) != TRB_LINK) {
            *ret_trb = *t;
            *ret_at = r->at;
            r->at += sizeof(*t);
            return true;
        }
        r->at = t->parameter;
        r->cycle ^= t->control & TRB_TOGGLE_CYCLE ? TRB_CYCLE : 0;
    }
    return false;
}

static struct fake_ring ring_from(uint64_t pointer)
{
    return (struct fake_ring){ pointer & ~UINT64_C(15), pointer & TRB_CYCLE };
}

/* Entry n of the input context that a command names, with all after it in okram's memory. */
static const uint32_t *input_entry(const struct fake_xhci *x, uint64_t context, unsigned n)
{
    CHECK(fake_dma(context, 33 * x->context_bytes));
    return (const uint32_t *)fake_dma(context, 1) + n * x->context_bytes / 4;
}

static uint64_t dequeue_of(const uint32_t *endpoint)
{
    return endpoint[2] | (uint64_t)endpoint[3] << 32;
}

static void set_address(struct fake_xhci *x, struct fake_slot *s, unsigned slot, uint64_t context)
{
    const uint64_t *contexts = fake_dma(x->contexts, 8 * (x->n_slots + 1));
    const uint32_t *entry = input_entry(x, context, 1);
    struct fake_ring control;

    CHECK(fake_dma(contexts[slot], 32 * x->context_bytes));
    s->root_port = entry[1] >> 16 & 0xff;
    CHECK(s->root_port >= 1 && s->root_port <= x->capability[1] >> 24);
    CHECK((entry[0] >> 20 & 15) >= USB_FULL_SPEED && (entry[0] >> 20 & 15) <= USB_SPEED_LAST);
    control = ring_from(dequeue_of(input_entry(x, context, 2)));
    CHECK(x->is_hostile || !s->addressed || control.at == s->control.at);
    s->control = control;
    s->halted = false;
    if (!s->addressed)
        fake_usb_begin(&s->device, x->devices);
    s->addressed = true;
}

static void configure(struct fake_xhci *x, struct fake_slot *s, uint64_t context)
{
    uint32_t add = input_entry(x, context, 0)[1];

    for (unsigned endpoint = 2; endpoint < 32; endpoint++) {
        const uint32_t *entry = input_entry(x, context, endpoint + 1);
        struct fake_ring ring;
        unsigned type;

        if (!(add >> endpoint & 1))
            continue;
        ring = ring_from(dequeue_of(entry));
        type = entry[1] >> 3 & 7; /* 6.2.3 */
        CHECK((type & 4 ? 1 : 0) == endpoint % 2);
        if (type == 7) {
            s->interrupt = ring;
            s->interrupt_endpoint = (uint8_t)endpoint;
        } else {
            CHECK(type == 2 || type == 6);
            *(type == 6 ? &s->in : &s->out) = (struct fake_bulk){ (uint8_t)endpoint, ring, false };
        }
    }
    CHECK(s->interrupt_endpoint || (s->in.endpoint && s->out.endpoint));
}

static void set_dequeue(struct fake_slot *s, unsigned endpoint, uint64_t pointer)
{
    struct fake_bulk *bulk = endpoint == s->in.endpoint ? &s->in : &s->out;

    if (endpoint == CONTEXT_CONTROL) {
        s->control = ring_from(pointer);
        s->halted = false;
    } else if (endpoint == bulk->endpoint) {
        bulk->ring = ring_from(pointer);
        bulk->halted = false;
    }
}

static bool is_connected(const struct fake_xhci *x, const struct fake_slot *s)
{
    return s->root_port <= x->n_ports && x->portsc[s->root_port] & XHCI_PORT_CONNECTED;
}

static uint8_t enable_slot(struct fake_xhci *x, unsigned *ret_slot)
{
    for (unsigned i = 1; i <= x->n_slots; i++) {
        if (x->slot[i].enabled)
            continue;
        memset(&x->slot[i], 0, sizeof(x->slot[i]));
        x->slot[i].enabled = true;
        *ret_slot = i;
        return TRB_CODE_SUCCESS;
    }
    return CODE_NO_SLOTS;
}

/* A slot that is not enabled is named only where the controller has lied. */
static uint8_t execute(struct fake_xhci *x, const struct trb *t, unsigned *ret_slot)
{
    unsigned slot = *ret_slot = t->control >> 24;
    struct fake_slot *s = &x->slot[slot <= FAKE_SLOTS_MAX ? slot : 0];

    if (trb_type(t) == TRB_ENABLE_SLOT)
        return enable_slot(x, ret_slot);
    CHECK(x->is_hostile || (slot && slot <= x->n_slots && s->enabled));
    switch (trb_type(t)) {
    case TRB_DISABLE_SLOT: s->enabled = s->addressed = false; return TRB_CODE_SUCCESS;
    case TRB_ADDRESS_DEVICE:
        set_address(x, s, slot, t->parameter);
        return is_connected(x, s) ? TRB_CODE_SUCCESS : CODE_TRANSACTION;
    case TRB_CONFIGURE_ENDPOINT: configure(x, s, t->parameter); return TRB_CODE_SUCCESS;
    case TRB_EVALUATE_CONTEXT:
        CHECK(ring_from(dequeue_of(input_entry(x, t->parameter, 2))).at);
        return TRB_CODE_SUCCESS;
    case TRB_RESET_ENDPOINT: return TRB_CODE_SUCCESS;
    case TRB_SET_DEQUEUE:
        set_dequeue(s, t->control >> 16 & 31, t->parameter);
        return TRB_CODE_SUCCESS;
    default: fuzz_fail(__FILE__, __LINE__, "a command that there is");
    }
}

static void end_command(struct fake_xhci *x, uint64_t at, uint8_t code, unsigned slot)
{
    uint64_t does = decision(x);

    if (does == ENDS_NEVER)
        return;
    if (does == ENDS_WITH)
        code = (uint8_t)fuzz_number(x->in, 1);
    else if (does == ENDS_FOR_SLOT)
        slot = (unsigned)fuzz_number(x->in, 1);
    else if (does == ENDS_AT)
        at += 16 * fuzz_number(x->in, 1);
    for (unsigned i = 0; i < (does == ENDS_TWICE ? 2u : 1u); i++)
        fake_xhci_post(x, at, (uint32_t)code << 24,
                       trb_control(TRB_EVENT_COMMAND, 0, 0) | slot << 24);
}

static void take_commands(struct fake_xhci *x)
{
    struct trb t;
    uint64_t at;

    while (next_trb(&x->commands, &t, &at)) {
        unsigned slot;
        uint8_t code = execute(x, &t, &slot);

        if (x->n_logged < FAKE_LOG)
            x->log[x->n_logged++] = t.control;
        end_command(x, at, code, slot);
    }
}

static void end_transfer(struct fake_xhci *x, unsigned slot, unsigned endpoint, uint64_t at,
                         uint8_t code, uint32_t residue)
{
    if (decision(x) == ENDS_WITH) {
        code = (uint8_t)fuzz_number(x->in, 1);
        residue = (uint32_t)fuzz_number(x->in, 3);
    }
    fake_xhci_post(x, at, (uint32_t)code << 24 | residue,
                   trb_control(TRB_EVENT_TRANSFER, (uint8_t)slot, (uint8_t)endpoint));
}

/* The three stages of a control transfer; data, and where its TRB is, if there are any. */
struct transfer {
    uint64_t setup, data_at, status_at;
    uint8_t *data;
    uint32_t room;
};

static bool next_transfer(struct fake_slot *s, struct transfer *ret)
{
    struct trb t;
    uint64_t at;

    memset(ret, 0, sizeof(*ret));
    while (next_trb(&s->control, &t, &at)) {
        if (trb_type(&t) == TRB_SETUP) {
            ret->setup = t.parameter;
        } else if (trb_type(&t) == TRB_DATA) {
            ret->data_at = at;
            ret->room = t.status & 0x1ffff;
            ret->data = fake_dma(t.parameter, ret->room);
        } else {
            CHECK(trb_type(&t) == TRB_STATUS);
            ret->status_at = at;
            return true;
        }
    }
    return false;
}

static void take_transfers(struct fake_xhci *x, unsigned slot)
{
    struct fake_slot *s = &x->slot[slot];
    struct transfer t;

    while (s->addressed && !s->halted && next_transfer(s, &t)) {
        uint8_t none[1];
        uint32_t n = 0;
        uint8_t code = CODE_TRANSACTION;

        if (is_connected(x, s))
            code = fake_usb_control(&s->device, x->in, t.setup, t.data ? t.data : none, t.room, &n);
        if (code == FAKE_NO_ANSWER)
            return;
        if (code != TRB_CODE_SUCCESS) {
            s->halted = true;
            end_transfer(x, slot, CONTEXT_CONTROL, t.data_at ? t.data_at : t.status_at, code,
                         t.room);
            return;
        }
        if (n < t.room)
            end_transfer(x, slot, CONTEXT_CONTROL, t.data_at, TRB_CODE_SHORT_PACKET, t.room - n);
        end_transfer(x, slot, CONTEXT_CONTROL, t.status_at, TRB_CODE_SUCCESS, 0);
    }
}

void fake_xhci_report(struct fake_xhci *x, uint32_t slot, const uint8_t *bytes, uint32_t n)
{
    struct fake_slot *s = &x->slot[slot];
    struct trb t;
    uint64_t at;
    uint32_t room;
    uint8_t *to;

    if (!s->enabled || !s->interrupt_endpoint || !is_connected(x, s) ||
        !next_trb(&s->interrupt, &t, &at))
        return;
    room = t.status & 0x1ffff;
    n = n < room ? n : room;
    to = fake_dma(t.parameter, room);
    memcpy(to, bytes, n);
    end_transfer(x, slot, s->interrupt_endpoint, at,
                 n < room ? TRB_CODE_SHORT_PACKET : TRB_CODE_SUCCESS, room - n);
}

static void change_port(struct fake_xhci *x, uint32_t port, uint32_t changes)
{
    x->portsc[port] |= changes;
    fake_xhci_post(x, (uint64_t)port << 24, TRB_CODE_SUCCESS << 24, EVENT_PORT);
}

void fake_xhci_plug(struct fake_xhci *x, uint32_t port, bool connected)
{
    uint32_t was = x->portsc[port];

    x->portsc[port] =
        (was & ~(XHCI_PORT_CONNECTED | XHCI_PORT_ENABLED)) | (connected ? XHCI_PORT_CONNECTED : 0);
    change_port(x, port,
                XHCI_PORT_CHANGE_CONNECTION |
                    (was & XHCI_PORT_ENABLED ? XHCI_PORT_CHANGE_ENABLED : 0));
}

static void write_port(struct fake_xhci *x, uint32_t port, uint32_t value)
{
    uint32_t *p = &x->portsc[port];

    *p &= ~(value & XHCI_PORT_CHANGES);
    if (value & XHCI_PORT_ENABLED)
        *p &= ~XHCI_PORT_ENABLED;
    if (value & XHCI_PORT_RESET && *p & XHCI_PORT_CONNECTED) {
        *p |= XHCI_PORT_ENABLED;
        x->resets[port]++;
        change_port(x, port, 1u << 21);
    }
}

static void write_command(struct fake_xhci *x, uint32_t value)
{
    x->command = value & XHCI_COMMAND_RUN;
    x->halted = !x->command;
    if (value & XHCI_COMMAND_RESET) {
        memset(x->slot, 0, sizeof(x->slot));
        x->segments = x->contexts = x->dequeue = 0;
        x->event_at = 0;
        x->event_cycle = TRB_CYCLE;
        for (uint32_t i = 1; i <= x->n_ports; i++)
            x->portsc[i] &= ~XHCI_PORT_ENABLED;
    }
    if (x->command)
        x->commands = ring_from(x->command_ring);
}

static void set_half(uint64_t *to, bool high, uint32_t value)
{
    uint64_t mask = high ? UINT32_MAX : UINT64_C(0xffffffff) << 32;

    *to = (*to & mask) | (uint64_t)value << (high ? 32 : 0);
}

static void write_operational(struct fake_xhci *x, uint32_t offset, uint32_t value)
{
    if (offset == XHCI_USBCMD)
        write_command(x, value);
    else if ((offset & ~4u) == XHCI_CRCR)
        set_half(&x->command_ring, offset & 4, value);
    else if ((offset & ~4u) == XHCI_DCBAAP)
        set_half(&x->contexts, offset & 4, value);
    else if (offset >= XHCI_PORTSC && (offset - XHCI_PORTSC) / 16 < x->n_ports)
        write_port(x, (offset - XHCI_PORTSC) / 16 + 1, value);
}

static void write_runtime(struct fake_xhci *x, uint32_t offset, uint32_t value)
{
    if ((offset & ~4u) == XHCI_ERSTBA)
        set_half(&x->segments, offset & 4, value);
    else if ((offset & ~4u) == XHCI_ERDP)
        set_half(&x->dequeue, offset & 4, value);
}

static void take_bulk(struct fake_xhci *x, unsigned slot, struct fake_bulk *bulk)
{
    struct fake_slot *s = &x->slot[slot];
    struct trb t;
    uint64_t at;

    while (s->addressed && !bulk->halted && next_trb(&bulk->ring, &t, &at)) {
        uint32_t room = t.status & 0x1ffff, n = 0;
        uint8_t *data = fake_dma(t.parameter, room);
        uint8_t code = CODE_TRANSACTION;

        if (is_connected(x, s))
            code = fake_usb_bulk(&s->device, x->in, bulk == &s->in, data, room, &n);
        if (code == FAKE_NO_ANSWER)
            return;
        bulk->halted = code != TRB_CODE_SUCCESS;
        if (code == TRB_CODE_SUCCESS && n < room)
            code = TRB_CODE_SHORT_PACKET;
        end_transfer(x, slot, bulk->endpoint, at, code, room - n);
    }
}

static void ring(struct fake_xhci *x, uint32_t slot, uint32_t endpoint)
{
    bool is_one = slot ? endpoint >= 1 && endpoint < 32 : !endpoint;

    CHECK(is_one || x->is_hostile); /* whose other registers may be among the doorbells */
    if (!is_one || !x->command || !x->contexts)
        return;
    if (!slot)
        take_commands(x);
    else if (slot <= FAKE_SLOTS_MAX && endpoint == CONTEXT_CONTROL)
        take_transfers(x, slot);
    else if (slot <= FAKE_SLOTS_MAX && endpoint == x->slot[slot].in.endpoint)
        take_bulk(x, slot, &x->slot[slot].in);
    else if (slot <= FAKE_SLOTS_MAX && endpoint == x->slot[slot].out.endpoint)
        take_bulk(x, slot, &x->slot[slot].out);
}

/* Where the registers are is for the input to say; the first that an address may be is meant. */
static void write(void *ctx, uint32_t offset, uint32_t value)
{
    struct fake_xhci *x = ctx;
    uint32_t operational = offset - (x->capability[0] & 0xff);
    uint32_t runtime = offset - (x->capability[6] & ~31u);
    uint32_t doorbell = offset - (x->capability[5] & ~3u);

    if (offset == x->extended_at && value & XHCI_LEGACY_OS_OWNED && !decision(x))
        x->extended[0] = value & ~XHCI_LEGACY_BIOS_OWNED;
    else if (operational < XHCI_PORTSC + 16 * x->n_ports)
        write_operational(x, operational, value);
    else if (runtime < 0x40)
        write_runtime(x, runtime, value);
    else if (doorbell <= 4 * x->n_slots)
        ring(x, doorbell / 4, value);
}

static uint32_t read_operational(const struct fake_xhci *x, uint32_t offset)
{
    switch (offset) {
    case XHCI_USBCMD: return x->command;
    case XHCI_USBSTS: return x->halted ? XHCI_STATUS_HALTED : 0;
    case XHCI_PAGESIZE: return 1;
    default: return offset >= XHCI_PORTSC ? x->portsc[(offset - XHCI_PORTSC) / 16 + 1] : 0;
    }
}

static uint32_t honest_value(const struct fake_xhci *x, uint32_t offset)
{
    uint32_t operational = offset - (x->capability[0] & 0xff);

    if (offset < sizeof(x->capability))
        return x->capability[offset / 4];
    if (offset - x->extended_at < sizeof(x->extended))
        return x->extended[(offset - x->extended_at) / 4];
    if (operational < XHCI_PORTSC + 16 * x->n_ports)
        return read_operational(x, operational);
    return 0;
}

static uint32_t read(void *ctx, uint32_t offset)
{
    struct fake_xhci *x = ctx;
    uint64_t does = offset < sizeof(x->capability) ? 0 : decision(x);

    if (does == REGISTERS_GONE)
        return UINT32_MAX;
    return does >= ANY_VALUE ? (uint32_t)fuzz_number(x->in, 4) : honest_value(x, offset);
}

/* As firmware leaves it: running. */
static void make_ordinary(struct fake_xhci *x)
{
    uint64_t kind = fuzz_number(x->in, 1), scratch = fuzz_number(x->in, 1) % 8;

    x->capability[0] = CAPABILITY_BYTES | 0x0110u << 16;
    x->capability[1] = (1 + (uint32_t)(kind & 7)) << 24 | (4 + 4 * (uint32_t)(kind >> 3 & 7));
    x->capability[2] = (uint32_t)scratch << 27;
    x->capability[4] = (kind & 0x40 ? 4u : 0) | EXTENDED >> 2 << 16;
    x->capability[5] = DOORBELLS;
    x->capability[6] = RUNTIME;
    x->extended[0] = LEGACY_HEAD;
    x->extended[4] = PROTOCOL_HEAD;
    x->extended[6] = 1 | x->capability[1] >> 24 << 8;
}

static void make_anything(struct fake_xhci *x)
{
    for (unsigned i = 0; i < 7; i++)
        x->capability[i] ^= (uint32_t)fuzz_number(x->in, 4);
    for (unsigned i = 0; i < FAKE_EXTENDED; i++)
        x->extended[i] ^= (uint32_t)fuzz_number(x->in, 4);
}

struct fake_registers fake_xhci_begin(struct fake_xhci *x, struct fuzz_input *in)
{
    uint64_t how = fuzz_number(in, 1), plugged;

    memset(x, 0, sizeof(*x));
    x->in = x->devices = in;
    make_ordinary(x);
    x->is_hostile = how & 1;
    if ((how & 3) == 3)
        make_anything(x);
    x->extended_at = x->capability[4] >> 16 << 2;
    x->context_bytes = x->capability[4] & 4 ? 64 : 32;
    x->n_ports = (uint32_t)min_u64(x->capability[1] >> 24, FAKE_PORTS_MAX);
    x->n_slots = (uint32_t)min_u64(x->capability[1] & 0xff, FAKE_SLOTS_MAX);
    x->command = XHCI_COMMAND_RUN;
    plugged = fuzz_number(in, 1);
    for (uint32_t port = 1; port <= x->n_ports; port++) {
        uint32_t speed = USB_FULL_SPEED + (how >> 2 & 0xf) % 3;

        x->portsc[port] = XHCI_PORT_POWER | speed << 10;
        if (plugged >> (port - 1) & 1)
            x->portsc[port] |= XHCI_PORT_CONNECTED | XHCI_PORT_CHANGE_CONNECTION;
    }
    return (struct fake_registers){ read, write, x };
}
