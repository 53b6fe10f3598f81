// SPDX-License-Identifier: MIT
#include "serial/serial_ports.h"

#include "acpi/uart_place.h"
#include "device/pci.h"
#include "event/notices.h"
#include "io/serial.h"
#include "lib/fmt.h"
#include "machine/tables.h"

#define CLASS_16550 0x070002 /* communication, serial, 16550 */
#define PCI_MAX     4
#define COMS        4
#define NAME_MAX    32

static const uint16_t com_port[COMS] = { SERIAL_COM1, 0x2f8, 0x3e8, 0x2e8 };

struct pci_uart {
    struct pci_function function;
    struct uart_place place;
};

static struct {
    struct uart_place spcr, used;
    struct dbg2 dbg2;
    struct pci_uart pci[PCI_MAX];
    size_t n_pci;
    bool has_spcr, has_used, pci_known;
} ports;

static void add_pci(void *ctx, struct pci_function f)
{
    struct uart_place p = { .address = pci_io_bar0(f), .stride = 1, .width = 1 };

    if (!p.address) {
        p.address = pci_memory_bar0(f);
        p.in_memory = true;
    }
    if (p.address && ports.n_pci < PCI_MAX)
        ports.pci[ports.n_pci++] = (struct pci_uart){ f, p };
}

/* A search takes 10 ms or more: not done where no such port is asked for. */
static void find_pci(void)
{
    if (!ports.pci_known)
        pci_find(CLASS_16550, add_pci, NULL);
    ports.pci_known = true;
}

/* False, with a warning: its registers would be RAM. */
static bool is_possible(const char *table, const struct uart_place *p)
{
    if (!p->in_memory || tables_map_registers(p->address, uart_place_bytes(p)))
        return true;
    notice("%s: a serial port at 0x%lx, where no registers can be; it is not used", table,
           p->address);
    return false;
}

static void read_tables(void)
{
    const struct acpi_header *table;
    struct dbg2 *d = &ports.dbg2;

    ports.has_spcr = tables_find("SPCR", &table) == STATUS_OK &&
                     spcr_read(table, &notices, &ports.spcr) == STATUS_OK &&
                     is_possible("SPCR", &ports.spcr);
    if (tables_find("DBG2", &table) == STATUS_OK)
        dbg2_read(table, &notices, d);
    for (size_t i = d->n_ports; i-- > 0;) {
        if (!is_possible("DBG2", &d->port[i]))
            d->port[i] = d->port[--d->n_ports];
    }
}

/* False: its registers would be RAM. */
static bool map(const struct uart_place *place, struct serial_port *ret_port)
{
    struct serial_port p = { .io = (uint16_t)place->address,
                             .stride = place->stride,
                             .width = place->width,
                             .clock_hz = place->clock_hz };

    if (place->in_memory) {
        p.registers = tables_map_registers(place->address, uart_place_bytes(place));
        if (!p.registers)
            return false;
    }
    *ret_port = p;
    return true;
}

static bool use(const struct uart_place *place, uint32_t baud)
{
    struct serial_port p;

    if (!map(place, &p))
        return false;
    p.baud = baud;
    if (serial_use(&p) != STATUS_OK)
        return false;
    ports.used = *place;
    ports.has_used = true;
    return true;
}

/* The clock of registers in memory is not known: they keep firmware's speed. */
static uint32_t baud_or(uint32_t asked, const struct uart_place *place)
{
    return asked ? asked : place->in_memory && !place->clock_hz ? 0 : SERIAL_BAUD;
}

static bool use_io(uint64_t port, uint32_t asked)
{
    struct uart_place place = { .address = port, .stride = 1, .width = 1 };

    return use(&place, baud_or(asked, &place));
}

static bool use_spcr(uint32_t asked)
{
    const struct uart_place *p = &ports.spcr;
    bool has_clock = !p->in_memory || p->clock_hz;

    return ports.has_spcr && use(p, asked ? asked : has_clock ? p->baud : 0);
}

static bool use_dbg2(uint32_t asked)
{
    for (size_t i = 0; i < ports.dbg2.n_ports; i++) {
        if (use(&ports.dbg2.port[i], baud_or(asked, &ports.dbg2.port[i])))
            return true;
    }
    return false;
}

static void turn_on(struct pci_function f)
{
    uint32_t command = pci_read(f, PCI_COMMAND) & UINT16_MAX; /* a status bit is cleared by a 1 */

    pci_power_up(f);
    pci_write(f, PCI_COMMAND, command | PCI_COMMAND_IO | PCI_COMMAND_MEMORY);
}

static bool use_pci(uint32_t asked)
{
    find_pci();
    for (size_t i = 0; i < ports.n_pci; i++) {
        turn_on(ports.pci[i].function);
        if (use(&ports.pci[i].place, baud_or(asked, &ports.pci[i].place)))
            return true;
    }
    return false;
}

/* Registers are one byte apart or, in many systems on a chip, four. */
static bool use_memory(uint64_t address, uint32_t asked)
{
    struct uart_place place = { .address = address, .in_memory = true, .stride = 1, .width = 1 };

    if (use(&place, asked))
        return true;
    place.stride = place.width = 4;
    return address % 4 == 0 && use(&place, asked);
}

static bool use_asked(const struct options *o)
{
    switch (o->serial_port) {
    case OPTION_PORT_COM: return use_io(com_port[o->serial_address - 1], o->serial_baud);
    case OPTION_PORT_IO: return use_io(o->serial_address, o->serial_baud);
    case OPTION_PORT_MEMORY: return use_memory(o->serial_address, o->serial_baud);
    case OPTION_PORT_SPCR: return use_spcr(o->serial_baud);
    case OPTION_PORT_DBG2: return use_dbg2(o->serial_baud);
    case OPTION_PORT_PCI: return use_pci(o->serial_baud);
    case OPTION_PORT_AUTO: break;
    }
    return false;
}

/* By an address, and not by its name. */
static bool is_by_address(const struct options *o)
{
    return o->serial_port == OPTION_PORT_IO || o->serial_port == OPTION_PORT_MEMORY;
}

static void warn_of_asked(const struct options *o, bool is_locked)
{
    static const char *const names[] = {
        [OPTION_PORT_SPCR] = "spcr", [OPTION_PORT_DBG2] = "dbg2", [OPTION_PORT_PCI] = "pci"
    };
    unsigned long address = o->serial_address;
    char name[NAME_MAX];

    if (o->serial_port == OPTION_PORT_COM)
        fmt_print(name, sizeof(name), "com%lu", address);
    else if (o->serial_port == OPTION_PORT_IO)
        fmt_print(name, sizeof(name), "0x%lx", address);
    else if (o->serial_port == OPTION_PORT_MEMORY)
        fmt_print(name, sizeof(name), "mmio:0x%lx", address);
    else
        fmt_print(name, sizeof(name), "%s", names[o->serial_port]);
    if (is_locked && is_by_address(o))
        notice("serial.port=%s is refused: Secure Boot is on, or UEFI does not say whether it "
               "is; com1 to com4, spcr, dbg2 and pci are allowed; the default is used",
               name);
    else
        notice("serial.port=%s: no serial port answers there; the default is used", name);
}

void serial_ports_choose(const struct options *o, bool is_locked)
{
    read_tables();
    if (o->serial_port != OPTION_PORT_AUTO) {
        if (!(is_locked && is_by_address(o)) && use_asked(o))
            return;
        warn_of_asked(o, is_locked);
    }
    if (!use_spcr(o->serial_baud) && !use_io(SERIAL_COM1, o->serial_baud) &&
        !use_dbg2(o->serial_baud))
        use_pci(o->serial_baud);
}

static bool is_same(const struct uart_place *a, const struct uart_place *b)
{
    return a->address == b->address && a->in_memory == b->in_memory;
}

static void list_one(struct serial_listed *l, const struct uart_place *place)
{
    struct serial_port p;

    l->place = *place;
    l->is_used = ports.has_used && is_same(place, &ports.used);
    l->answers = l->is_used || (map(place, &p) && serial_answers(&p));
}

size_t serial_ports_list(struct serial_listed list[SERIAL_PORTS_MAX])
{
    size_t n = 0;

    find_pci();
    for (size_t i = 0; i < COMS; i++) {
        fmt_print(list[n].name, sizeof(list[n].name), "COM%zu", i + 1);
        list_one(&list[n++],
                 &(struct uart_place){ .address = com_port[i], .stride = 1, .width = 1 });
    }
    if (ports.has_spcr) {
        fmt_print(list[n].name, sizeof(list[n].name), "SPCR");
        list_one(&list[n++], &ports.spcr);
    }
    for (size_t i = 0; i < ports.dbg2.n_ports; i++) {
        fmt_print(list[n].name, sizeof(list[n].name), "DBG2");
        list_one(&list[n++], &ports.dbg2.port[i]);
    }
    for (size_t i = 0; i < ports.n_pci; i++) {
        uint32_t a = ports.pci[i].function.address;

        fmt_print(list[n].name, sizeof(list[n].name), "PCI %02x:%02x.%u", a >> 16 & 0xff,
                  a >> 11 & 0x1f, a >> 8 & 7);
        list_one(&list[n++], &ports.pci[i].place);
    }
    return n;
}
