// SPDX-License-Identifier: MIT
#include "usb/usb.h"

#include "arch/tsc.h"
#include "lib/keys.h"
#include "memory/arena.h"
#include "usb/attach.h"
#include "usb/controller.h"
#include "usb/operation.h"
#include "usb_formats/legacy.h"

#define CLASS_USB       0x0c03 /* serial bus, USB; the interface follows */
#define CONTROLLERS_MAX 8
#define PAGES_MAX       384 /* of all controllers */
#define POLL_US         1000
#define KEYS_MAX        16

/* At a time: a ring full of garbage does not keep okram from its work. */
#define EVENTS_MAX 64

static struct {
    struct controller *controller;
    size_t n;
    int key[KEYS_MAX]; /* not yet taken: n_taken and on, modulo KEYS_MAX */
    unsigned n_pressed, n_taken;
} usb;

/* What was found, before the controllers have memory. */
struct found {
    struct pci_function function[CONTROLLERS_MAX];
    size_t n;
    bool has_older, has_intel_ehci;
};

static void note_function(void *ctx, struct pci_function f)
{
    struct found *found = ctx;
    uint32_t class = pci_read(f, PCI_CLASS) >> 8;

    if (class >> 8 != CLASS_USB)
        return;
    switch (class & 0xff) {
    case USB_XHCI:
        if (found->n < CONTROLLERS_MAX)
            found->function[found->n++] = f;
        break;
    case USB_EHCI:
        found->has_intel_ehci |= controller_is_intels(f);
        found->has_older = true;
        break;
    case USB_OHCI:
    case USB_UHCI: found->has_older = true; break;
    default: break;
    }
}

/* Pages in the order of addresses. */
static uint64_t page_at(const struct page_list *place, uint64_t i)
{
    return page_list_at(place, i * PAGE_SIZE).base;
}

static void give_pages(const struct page_list *place)
{
    uint64_t next = 0;

    for (size_t i = 0; i < usb.n; i++) {
        for (uint32_t n = controller_pages(&usb.controller[i]); n; n--)
            controller_add_page(&usb.controller[i], page_at(place, next++));
    }
}

/* Keeps those that are driven, now or later. Returns how many pages they want. */
static uint64_t choose(const struct found *found, struct usb_wanted wanted, size_t *ret_left)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < found->n; i++) {
        struct controller *c = &usb.controller[usb.n];

        if (controller_find(c, found->function[i], wanted.disks) != STATUS_OK)
            continue;
        c->is_left = wanted.leave_firmwares && controller_is_firmwares(c);
        *ret_left += c->is_left;
        if ((!c->is_left || wanted.disks) && pages + controller_pages(c) <= PAGES_MAX) {
            c->takes_ports = found->has_intel_ehci;
            pages += controller_pages(c);
            usb.n++;
        }
    }
    return pages;
}

static bool start(bool left)
{
    bool any = false;

    for (size_t i = 0; i < usb.n; i++) {
        struct controller *c = &usb.controller[i];

        if (c->is_left != left)
            continue;
        any = true;
        c->is_left = false;
        controller_start(c);
    }
    return any;
}

enum usb_found usb_begin(struct usb_wanted wanted)
{
    struct found found = { 0 };
    const struct page_list *place;
    size_t left = 0;
    uint64_t pages = 0;

    pci_for_each(note_function, &found);
    if (found.n) {
        usb.controller = arena_alloc(found.n * sizeof(*usb.controller));
        pages = choose(&found, wanted, &left);
    }
    place = usb.n ? arena_alloc_dma(pages) : NULL;
    if (!place) {
        usb.n = 0;
        return left ? USB_FIRMWARES : found.has_older ? USB_OLDER : USB_NONE;
    }
    give_pages(place);
    return start(false) ? USB_DRIVEN : USB_FIRMWARES;
}

bool usb_take_left(void)
{
    return start(true);
}

/* A key that has not been taken for a long time is overwritten. */
static void press(int key)
{
    usb.key[usb.n_pressed++ % KEYS_MAX] = key;
    if (usb.n_pressed - usb.n_taken > KEYS_MAX)
        usb.n_taken = usb.n_pressed - KEYS_MAX;
}

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
                      uint32_t bytes)
{
    int key[BOOT_REPORT_KEYS];
    size_t n = boot_report_keys(&d->keys, report, bytes, key);

    for (size_t i = 0; i < n; i++)
        press(key[i]);
    *controller_attempts(c, d) = 0; /* it works: what failed before is forgotten */
}

/* USB 2.0, 11.12.4: bit n is port n. */
static void take_hub_changes(struct usb_device *d, const uint8_t *report, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && i < sizeof(d->changed_ports); i++)
        d->changed_ports |= (uint32_t)report[i] << 8 * i;
}

static void take_report(struct controller *c, struct usb_device *d, const struct trb *event)
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
        take_keys(c, d, report, bytes);
    else
        take_hub_changes(d, report, bytes);
}

static void take_event(struct controller *c, const struct trb *event)
{
    struct usb_device *d;

    switch (trb_type(event)) {
    case TRB_EVENT_PORT: c->changed_port[trb_port(event)] = true; break;
    case TRB_EVENT_COMMAND: operation_receive(c, event); break;
    case TRB_EVENT_TRANSFER:
        d = listening_device(c, event);
        if (d)
            take_report(c, d, event);
        else
            operation_receive(c, event);
        break;
    default: break;
    }
}

/* Takes the events that have come. Returns whether there were any. */
static bool take_events(struct controller *c)
{
    struct trb event;
    unsigned n = 0;

    while (n < EVENTS_MAX && c->state == CONTROLLER_RUNNING &&
           event_ring_next(&c->events, &event)) {
        take_event(c, &event);
        n++;
    }
    if (n && c->state == CONTROLLER_RUNNING)
        controller_events_taken(c);
    return n != 0;
}

/* As many steps as there is time for. */
static void drive(struct controller *c, uint64_t end)
{
    bool more = true;

    controller_poll(c);
    while (more && c->state == CONTROLLER_RUNNING && tsc_now() < end) {
        more = take_events(c);
        if (c->state == CONTROLLER_RUNNING)
            more |= operation_expire(c);
        if (c->state == CONTROLLER_RUNNING)
            more |= ports_work(c);
    }
}

void usb_poll(uint64_t us)
{
    uint64_t end = tsc_now() + tsc_from_us(us);

    for (size_t i = 0; i < usb.n; i++)
        drive(&usb.controller[i], end);
}

struct controller *usb_controllers(size_t *ret_n)
{
    *ret_n = usb.n;
    return usb.controller;
}

int usb_read_key(void)
{
    usb_poll(POLL_US);
    if (usb.n_taken == usb.n_pressed)
        return KEY_NONE;
    return usb.key[usb.n_taken++ % KEYS_MAX];
}

static bool has_keyboard(const struct controller *c)
{
    for (size_t i = 0; i < USB_DEVICES_MAX; i++) {
        const struct usb_device *d = &c->device[i];

        if (d->used && !d->gone && d->listening && d->function.kind == USB_KEYBOARD)
            return c->state == CONTROLLER_RUNNING;
    }
    return false;
}

bool usb_has_keyboard(void)
{
    for (size_t i = 0; i < usb.n; i++) {
        if (has_keyboard(&usb.controller[i]))
            return true;
    }
    return false;
}

void usb_end(void)
{
    for (size_t i = 0; i < usb.n; i++) {
        struct controller *c = &usb.controller[i];

        c->may_resume = c->state != CONTROLLER_OFF;
        controller_halt(c);
    }
}

void usb_resume(void)
{
    for (size_t i = 0; i < usb.n; i++) {
        if (usb.controller[i].may_resume)
            controller_restart(&usb.controller[i]);
    }
}
