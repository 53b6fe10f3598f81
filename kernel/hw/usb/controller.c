// SPDX-License-Identifier: MIT
#include "usb/controller.h"

#include "arch/mmio.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "event/notices.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "usb/registers.h"

#define GONE UINT32_MAX /* what reads return after the device has gone */

/* The memory in which registers are looked for. */
#define REGISTERS_MAX (UINT64_C(1) << 20)
#define EXTENDED_MAX  64 /* capabilities */

#define MS         UINT64_C(1000)
#define HANDOFF_US (1000 * MS) /* xHCI 1.2, 4.22.1 */
#define HALT_US    (100 * MS)  /* 5.4.1.1: 16 ms */
#define RESET_US   (2000 * MS)
#define QUIET_US   (1 * MS) /* Intel's may hang if they are touched sooner after a reset */
#define CHECK_US   (500 * MS)

#define VENDOR_INTEL  0x8086u
#define SONY_VAIO_T   0x90a8104du /* a board whose ports cannot be switched */
#define PCI_SUBSYSTEM 0x2c

/* The pages, in the order in which they are given. */
enum {
    PAGE_TABLES, /* what follows, at these offsets */
    PAGE_EVENTS,
    PAGE_INPUT,
    PAGE_BUFFER,
    PAGE_DATA,
    PAGE_DEVICES,
    PAGE_SCRATCH = PAGE_DEVICES + USB_DEVICES_MAX,

    AT_CONTEXTS = 0,
    AT_SEGMENTS = 512,
    AT_COMMANDS = 1024,
    AT_SCRATCH = 2048,
    COMMANDS = 64,
    EVENTS = 256,
};
_Static_assert((USB_SLOTS_MAX + 1) * 8 <= AT_SEGMENTS, "one entry a slot, and one for scratch");
_Static_assert(AT_COMMANDS + COMMANDS * sizeof(struct trb) <= AT_SCRATCH, "no overlap");
_Static_assert(AT_SCRATCH + USB_SCRATCH_MAX * 8 <= PAGE_SIZE, "in one page");
_Static_assert(CONTEXT_INPUT_BYTES_MAX <= PAGE_SIZE && USB_CONTROL_MAX <= PAGE_SIZE, "a page each");

static uint32_t read_at(const struct controller *c, uint32_t offset)
{
    return mmio_read32(c->registers + offset);
}

static void write_at(struct controller *c, uint32_t offset, uint32_t value)
{
    mmio_write32(c->registers + offset, value);
}

/* Low half first (5.1). */
static void write_64(struct controller *c, uint32_t offset, uint64_t value)
{
    write_at(c, offset, (uint32_t)value);
    write_at(c, offset + 4, (uint32_t)(value >> 32));
}

static uint32_t read_operational(const struct controller *c, uint32_t offset)
{
    return read_at(c, c->operational + offset);
}

static void write_operational(struct controller *c, uint32_t offset, uint32_t value)
{
    write_at(c, c->operational + offset, value);
}

/* Whether registers can be there: a write to them must not be one to RAM. */
static bool may_be_registers(uint64_t phys, uint64_t bytes)
{
    return phys < DIRECT_SIZE - bytes && phys % PAGE_SIZE == 0 &&
           !machine_has_memory_at(phys, bytes);
}

/* Maps the pages that hold these registers. */
static bool map_registers(const struct controller *c, uint64_t offset, uint64_t bytes)
{
    uint64_t first = align_down(offset, PAGE_SIZE);
    uint64_t end = align_up(offset + bytes, PAGE_SIZE);

    if (end > REGISTERS_MAX || !may_be_registers(c->bar + first, end - first))
        return false;
    paging_map_direct(c->bar + first, end - first, PAGING_WRITE | PAGING_UNCACHED);
    return true;
}

/* Ports that speak USB 2 or 3 (7.2). */
static void note_protocol(struct controller *c, uint32_t at)
{
    uint32_t ports = read_at(c, at + 8);
    uint32_t first = ports & 0xff, n = ports >> 8 & 0xff;

    if (read_at(c, at) >> 24 != 2 && !(c->wants_disks && read_at(c, at) >> 24 == 3))
        return;
    for (uint32_t port = first; port < first + n && port <= c->n_ports; port++)
        c->driven_port[port] = port != 0;
}

static bool read_extended(struct controller *c, uint32_t at)
{
    for (unsigned i = 0; at && i < EXTENDED_MAX; i++) {
        uint32_t head;

        if (!map_registers(c, at, 16))
            return false;
        head = read_at(c, at);
        if (head == GONE)
            return false;
        if ((head & 0xff) == XHCI_EXTENDED_LEGACY)
            c->legacy = at;
        else if ((head & 0xff) == XHCI_EXTENDED_PROTOCOL)
            note_protocol(c, at);
        at = head & 0xff00 ? at + (head >> 8 & 0xff) * 4 : 0;
    }
    return true;
}

enum status controller_find(struct controller *c, struct pci_function pci, bool wants_disks)
{
    uint32_t head, params1, params2, features;

    *c = (struct controller){ .pci = pci, .bar = pci_memory_bar0(pci), .wants_disks = wants_disks };
    if (!c->bar || !map_registers(c, 0, PAGE_SIZE))
        return STATUS_UNSUPPORTED;
    pci_power_up(pci);
    pci_write(pci, PCI_COMMAND, (pci_read(pci, PCI_COMMAND) & 0xffff) | PCI_COMMAND_MEMORY);
    c->registers = direct(c->bar);
    head = read_at(c, XHCI_CAPLENGTH);
    if (head == GONE)
        return STATUS_UNSUPPORTED;
    params1 = read_at(c, XHCI_HCSPARAMS1);
    params2 = read_at(c, XHCI_HCSPARAMS2);
    features = read_at(c, XHCI_HCCPARAMS1);
    c->operational = head & 0xff;
    c->runtime = read_at(c, XHCI_RTSOFF) & ~31u;
    c->doorbells = read_at(c, XHCI_DBOFF) & ~3u;
    c->n_ports = params1 >> 24;
    c->n_slots = min_u64(params1 & 0xff, USB_SLOTS_MAX);
    c->n_scratch = (params2 >> 21 & 31) << 5 | params2 >> 27;
    c->context_bytes = features & 4 ? 64 : 32;
    if (c->operational % 4 || !c->n_ports || !c->n_slots || c->n_scratch > USB_SCRATCH_MAX ||
        !map_registers(c, c->operational, XHCI_PORTSC + 16 * c->n_ports) ||
        !map_registers(c, c->runtime, 64) ||
        !map_registers(c, c->doorbells, 4 * (c->n_slots + 1)) ||
        !read_extended(c, features >> 16 << 2) ||
        !(read_operational(c, XHCI_PAGESIZE) & 1)) /* bit 0: 4 KiB */
        return STATUS_UNSUPPORTED;
    return STATUS_OK;
}

bool controller_is_intels(struct pci_function pci)
{
    return (pci_read(pci, PCI_ID) & 0xffff) == VENDOR_INTEL;
}

bool controller_is_firmwares(const struct controller *c)
{
    uint32_t control = c->legacy ? read_at(c, c->legacy + XHCI_LEGACY_CONTROL) : 0;

    return c->legacy && read_at(c, c->legacy) & XHCI_LEGACY_BIOS_OWNED && control != GONE &&
           control & XHCI_LEGACY_SMIS;
}

uint32_t controller_pages(const struct controller *c)
{
    return PAGE_SCRATCH + c->n_scratch;
}

void controller_add_page(struct controller *c, uint64_t phys)
{
    c->page[c->n_pages] = direct(phys);
    c->page_phys[c->n_pages++] = phys;
}

static void set_state(struct controller *c, enum controller_state state, uint64_t deadline_us)
{
    c->state = state;
    c->deadline = tsc_now() + tsc_from_us(deadline_us);
}

/* xHCI 1.2, 4.22.1. */
void controller_start(struct controller *c)
{
    if (c->legacy)
        write_at(c, c->legacy, read_at(c, c->legacy) | XHCI_LEGACY_OS_OWNED);
    set_state(c, CONTROLLER_HANDOFF, HANDOFF_US);
}

void controller_restart(struct controller *c)
{
    c->operation = (struct operation){ 0 };
    memset(&c->stalled, 0, sizeof(c->stalled));
    memset(&c->storage, 0, sizeof(c->storage));
    memset(c->device, 0, sizeof(c->device));
    memset(c->changed_port, 0, sizeof(c->changed_port));
    memset(c->attempts, 0, sizeof(c->attempts));
    memset(&c->work, 0, sizeof(c->work));
    controller_start(c);
}

static bool is_late(const struct controller *c)
{
    return tsc_now() >= c->deadline;
}

/*
 * Ports that can be are switched from EHCI to this controller, as Linux does it (usb_enable_intel_
 * xhci_ports); USB 3 first, so that devices come up at that speed.
 */
static void take_ports(struct controller *c)
{
    if (!c->takes_ports || !controller_is_intels(c->pci) ||
        pci_read(c->pci, PCI_SUBSYSTEM) == SONY_VAIO_T)
        return;
    pci_write(c->pci, INTEL_USB3_PSSEN, pci_read(c->pci, INTEL_USB3PRM));
    pci_write(c->pci, INTEL_XUSB2PR, pci_read(c->pci, INTEL_XUSB2PRM));
}

/* Firmware that does not release it is not asked again: its SMIs are turned off. */
static void take_from_firmware(struct controller *c)
{
    uint32_t control;

    if (c->legacy) {
        uint32_t owners = read_at(c, c->legacy);

        if (owners & XHCI_LEGACY_BIOS_OWNED && !is_late(c))
            return;
        write_at(c, c->legacy, (owners & ~XHCI_LEGACY_BIOS_OWNED) | XHCI_LEGACY_OS_OWNED);
        control = read_at(c, c->legacy + XHCI_LEGACY_CONTROL);
        write_at(c, c->legacy + XHCI_LEGACY_CONTROL,
                 (control & XHCI_LEGACY_KEPT) | XHCI_LEGACY_EVENTS);
    }
    take_ports(c);
    write_operational(c, XHCI_USBCMD, 0);
    set_state(c, CONTROLLER_HALTING, HALT_US);
}

/* 5.4.1.1: only a halted controller may be reset. */
static void reset(struct controller *c)
{
    if (read_operational(c, XHCI_USBSTS) & XHCI_STATUS_HALTED) {
        write_operational(c, XHCI_USBCMD, XHCI_COMMAND_RESET);
        set_state(c, CONTROLLER_RESETTING, RESET_US);
        c->quiet_until = tsc_now() + tsc_from_us(QUIET_US);
    } else if (is_late(c)) {
        controller_fail(c, "does not halt");
    }
}

static void make_memory(struct controller *c)
{
    uint8_t *tables = c->page[PAGE_TABLES];
    uint64_t tables_phys = c->page_phys[PAGE_TABLES];
    uint64_t *segment = (void *)(tables + AT_SEGMENTS), *scratch = (void *)(tables + AT_SCRATCH);

    for (uint32_t i = 0; i < c->n_pages; i++)
        memset(c->page[i], 0, PAGE_SIZE);
    c->contexts = (void *)(tables + AT_CONTEXTS);
    for (uint32_t i = 0; i < c->n_scratch; i++) /* 4.20 */
        scratch[i] = c->page_phys[PAGE_SCRATCH + i];
    c->contexts[0] = c->n_scratch ? tables_phys + AT_SCRATCH : 0;
    trb_ring_init(&c->commands, tables + AT_COMMANDS, tables_phys + AT_COMMANDS, COMMANDS);
    event_ring_init(&c->events, c->page[PAGE_EVENTS], c->page_phys[PAGE_EVENTS], EVENTS);
    segment[0] = c->page_phys[PAGE_EVENTS]; /* 6.5 */
    segment[1] = EVENTS;
    c->input = (struct context){ c->page[PAGE_INPUT], c->context_bytes };
    c->input_phys = c->page_phys[PAGE_INPUT];
    c->buffer = c->page[PAGE_BUFFER];
    c->buffer_phys = c->page_phys[PAGE_BUFFER];
    c->data = c->page[PAGE_DATA];
    c->data_phys = c->page_phys[PAGE_DATA];
}

/* 4.2, without interrupts. Bus mastering is turned on for this controller alone. */
static void run(struct controller *c)
{
    make_memory(c);
    pci_write(c->pci, PCI_COMMAND,
              (pci_read(c->pci, PCI_COMMAND) & 0xffff) | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
                  PCI_COMMAND_NO_INTX);
    write_operational(c, XHCI_CONFIG, c->n_slots);
    write_64(c, c->operational + XHCI_DCBAAP, c->page_phys[PAGE_TABLES] + AT_CONTEXTS);
    write_64(c, c->operational + XHCI_CRCR, trb_ring_dequeue(&c->commands));
    write_at(c, c->runtime + XHCI_IMAN, 0);
    write_at(c, c->runtime + XHCI_ERSTSZ, 1);
    write_64(c, c->runtime + XHCI_ERDP, event_ring_dequeue(&c->events));
    write_64(c, c->runtime + XHCI_ERSTBA, c->page_phys[PAGE_TABLES] + AT_SEGMENTS);
    write_operational(c, XHCI_USBCMD, XHCI_COMMAND_RUN);
    for (uint32_t port = 1; port <= c->n_ports; port++) {
        if (c->driven_port[port]) {
            controller_write_port(c, (uint8_t)port, XHCI_PORT_POWER);
            c->changed_port[port] = true;
        }
    }
    set_state(c, CONTROLLER_RUNNING, 0);
    c->check_at = tsc_now() + tsc_from_us(CHECK_US);
}

static void wait_for_reset(struct controller *c)
{
    if (tsc_now() < c->quiet_until)
        return;
    if (!(read_operational(c, XHCI_USBCMD) & XHCI_COMMAND_RESET) &&
        !(read_operational(c, XHCI_USBSTS) & XHCI_STATUS_NOT_READY))
        run(c);
    else if (is_late(c))
        controller_fail(c, "does not end its reset");
}

/* Now and then: a read of a register takes as long as many of memory. */
static void check_status(struct controller *c)
{
    uint32_t status;

    if (tsc_now() < c->check_at)
        return;
    c->check_at = tsc_now() + tsc_from_us(CHECK_US);
    status = read_operational(c, XHCI_USBSTS);
    if (status == GONE)
        controller_fail(c, "is gone");
    else if (status & (XHCI_STATUS_HALTED | XHCI_STATUS_HOST_ERROR | XHCI_STATUS_ERROR))
        controller_fail(c, "reports an error");
}

void controller_poll(struct controller *c)
{
    switch (c->state) {
    case CONTROLLER_OFF: break;
    case CONTROLLER_HANDOFF: take_from_firmware(c); break;
    case CONTROLLER_HALTING: reset(c); break;
    case CONTROLLER_RESETTING: wait_for_reset(c); break;
    case CONTROLLER_RUNNING: check_status(c); break;
    }
}

/* Without bus mastering it cannot write, even if it does not halt. */
void controller_halt(struct controller *c)
{
    uint64_t deadline = tsc_now() + tsc_from_us(HALT_US);

    if (c->state == CONTROLLER_OFF)
        return;
    c->state = CONTROLLER_OFF;
    write_operational(c, XHCI_USBCMD, 0);
    while (!(read_operational(c, XHCI_USBSTS) & XHCI_STATUS_HALTED) && tsc_now() < deadline)
        tsc_wait_us(100);
    pci_write(c->pci, PCI_COMMAND, pci_read(c->pci, PCI_COMMAND) & (0xffff & ~PCI_COMMAND_MASTER));
}

void controller_fail(struct controller *c, const char *why)
{
    controller_halt(c);
    if (c->had_keyboard)
        notice("the USB controller at 0x%lx %s: it is switched off, and its keyboards no "
               "longer work",
               c->bar, why);
}

uint32_t controller_read_port(struct controller *c, uint8_t port)
{
    return read_operational(c, XHCI_PORTSC + 16 * (port - 1u));
}

/* Of the other bits those written are kept, and a 1 would clear or disable something. */
void controller_write_port(struct controller *c, uint8_t port, uint32_t bits)
{
    uint32_t kept = controller_read_port(c, port) & XHCI_PORT_KEPT;

    write_operational(c, XHCI_PORTSC + 16 * (port - 1u), kept | bits);
}

void controller_ring(struct controller *c, uint8_t slot, unsigned endpoint)
{
    write_at(c, c->doorbells + 4u * slot, endpoint);
}

void controller_events_taken(struct controller *c)
{
    write_64(c, c->runtime + XHCI_ERDP, event_ring_dequeue(&c->events) | XHCI_ERDP_BUSY);
}

uint8_t *controller_attempts_at(struct controller *c, struct usb_device *hub, uint8_t port)
{
    return hub ? &hub->attempts[port] : &c->attempts[port];
}

uint8_t *controller_attempts(struct controller *c, const struct usb_device *d)
{
    return controller_attempts_at(c, d->hub, d->port);
}

struct usb_device *controller_new_device(struct controller *c)
{
    for (uint32_t i = 0; i < USB_DEVICES_MAX; i++) {
        struct usb_device *d = &c->device[i];

        if (d->used)
            continue;
        *d = (struct usb_device){ .used = true,
                                  .serial = ++c->n_attached,
                                  .memory = c->page[PAGE_DEVICES + i],
                                  .phys = c->page_phys[PAGE_DEVICES + i] };
        memset(d->memory, 0, PAGE_SIZE);
        return d;
    }
    return NULL;
}
