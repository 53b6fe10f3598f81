// SPDX-License-Identifier: MIT
#include "acpi/uart_place.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/span.h"
#include "lib/string.h"

#define TYPE_16550          0x00
#define TYPE_16550_DBGP     0x01
#define TYPE_16550_BY_WIDTH 0x12 /* with the parameters of the generic address */

#define ACCESS_DWORD 3u

/* The interface types of SPCR and DBG2 (DBG2 1.3, table 3) that are a 16550. */
static bool uart_type_is_16550(unsigned type)
{
    return type == TYPE_16550 || type == TYPE_16550_DBGP || type == TYPE_16550_BY_WIDTH;
}

static bool is_power_of_2_up_to_4(unsigned n)
{
    return n == 1 || n == 2 || n == 4;
}

/* False: the table has a place for an address only. It is 0, or all ones from a page's bits on. */
static bool uart_place_is_named(const struct acpi_register *r)
{
    uint64_t page = r->address | (PAGE_SIZE - 1);

    return r->address && page != UINT64_MAX && page != UINT32_MAX;
}

/* False: no registers are laid out so. Fields that are 0 are left to the reader (5.2.3.2). */
static bool lay_out(const struct acpi_register *r, struct uart_place *place)
{
    unsigned stride = r->bit_width / 8, width = stride;

    if (r->bit_width % 8 || r->bit_offset || r->access_size > ACCESS_DWORD)
        return false;
    if (r->access_size)
        width = 1u << (r->access_size - 1);
    if (!r->bit_width)
        stride = width = r->access_size ? width : 1;
    if (!is_power_of_2_up_to_4(stride) || width > stride || r->address % width)
        return false;
    place->stride = (uint8_t)stride;
    place->width = (uint8_t)width;
    return true;
}

/*
 * Reads a named address of table `name` (ACPI 6.5, 5.2.3.2). In memory its bit width is the stride,
 * its access size the width; where it has no bit width, as with coreboot, the stride, too.
 * STATUS_INVALID, with a warning: no 16550 can be there.
 */
static enum status uart_place_read(const struct acpi_register *r, const char *name,
                                   const struct warnings *warnings, struct uart_place *ret_place)
{
    struct uart_place place = { .address = r->address, .stride = 1, .width = 1 };
    bool right = r->space == ACPI_SPACE_IO && uart_io_is_possible(r->address);

    if (r->space == ACPI_SPACE_MEMORY) {
        place.in_memory = true;
        right = lay_out(r, &place);
    }
    if (!right) {
        warn_print(warnings,
                   "%s: a serial port at 0x%lx of address space %u, %u bits wide, accessed by "
                   "size %u, is impossible; it is not used",
                   name, (unsigned long)r->address, r->space, r->bit_width, r->access_size);
        return STATUS_INVALID;
    }
    *ret_place = place;
    return STATUS_OK;
}

struct spcr_table {
    struct acpi_header header;
    uint8_t interface_type;
    uint8_t reserved1[3];
    struct acpi_register base;
    uint8_t interrupt_type, irq;
    uint32_t gsi;
    uint8_t baud_code, parity, stop_bits, flow_control, terminal_type, language;
    uint16_t pci_device, pci_vendor;
    uint8_t pci_bus, pci_slot, pci_function;
    uint32_t pci_flags;
    uint8_t pci_segment;
    uint32_t clock_hz;     /* revision 3 on; 0: unknown */
    uint32_t precise_baud; /* revision 4 on; 0: baud_code has it */
} __attribute__((packed));
_Static_assert(offsetof(struct spcr_table, base) == 40, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, baud_code) == 58, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, clock_hz) == 76, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, precise_baud) == 80, "SPCR 1.10, table 1");

/* What revision 1 has: 76 bytes and a reserved word. */
#define SPCR_V1_BYTES offsetof(struct spcr_table, precise_baud)

#define REVISION_CLOCK 3
#define REVISION_BAUD  4

static bool baud_of_code(uint8_t code, uint32_t *ret_baud)
{
    switch (code) {
    case 0: *ret_baud = 0; return true;
    case 3: *ret_baud = 9600; return true;
    case 4: *ret_baud = 19200; return true;
    case 6: *ret_baud = 57600; return true;
    case 7: *ret_baud = 115200; return true;
    default: return false;
    }
}

static void read_speed(const struct spcr_table *t, const struct warnings *warnings,
                       struct uart_place *place)
{
    if (t->header.revision >= REVISION_CLOCK)
        place->clock_hz = t->clock_hz;
    if (t->header.revision >= REVISION_BAUD && t->precise_baud)
        place->baud = t->precise_baud;
    else if (!baud_of_code(t->baud_code, &place->baud))
        warn_print(warnings, "SPCR: speed %u is unknown; the port's is not changed", t->baud_code);
}

enum status spcr_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct uart_place *ret_place)
{
    struct spcr_table t = { 0 };
    struct uart_place place;

    if (!acpi_table_holds(table, SPCR_V1_BYTES, "SPCR", warnings))
        return STATUS_INVALID;
    memcpy(&t, table, min_u64(table->length, sizeof(t)));
    if (!uart_place_is_named(&t.base))
        return STATUS_NOT_FOUND;
    if (!uart_type_is_16550(t.interface_type))
        return STATUS_UNSUPPORTED;
    if (uart_place_read(&t.base, "SPCR", warnings, &place) != STATUS_OK)
        return STATUS_INVALID;
    read_speed(&t, warnings, &place);
    *ret_place = place;
    return STATUS_OK;
}

struct dbg2_table {
    struct acpi_header header;
    uint32_t first, n; /* devices */
} __attribute__((packed));
_Static_assert(sizeof(struct dbg2_table) == 44, "DBG2 1.3, table 1");

/* Offsets count from its begin. */
struct dbg2_device {
    uint8_t revision;
    uint16_t length;
    uint8_t n_registers;
    uint16_t name_length, name_offset;
    uint16_t oem_length, oem_offset;
    uint16_t port_type, port_subtype;
    uint16_t reserved;
    uint16_t registers_offset, sizes_offset;
} __attribute__((packed));
_Static_assert(sizeof(struct dbg2_device) == 22, "DBG2 1.3, table 2");

#define PORT_SERIAL 0x8000

/* Its first address; false: it is malformed. */
static bool first_register(const struct dbg2_device *d, struct acpi_register *ret)
{
    if (!d->n_registers || d->registers_offset < sizeof(*d) ||
        d->registers_offset + sizeof(*ret) > d->length)
        return false;
    memcpy(ret, (const uint8_t *)d + d->registers_offset, sizeof(*ret));
    return true;
}

/* False: it is malformed, or no port can be there; a warning has been given. */
static bool read_device(const struct dbg2_device *d, const struct warnings *warnings,
                        struct dbg2 *dbg2)
{
    struct acpi_register r;

    if (d->port_type != PORT_SERIAL || !uart_type_is_16550(d->port_subtype))
        return true;
    if (!first_register(d, &r)) {
        warn_print(warnings, "DBG2: a port without an address; it and those after it are ignored");
        return false;
    }
    if (dbg2->n_ports == DBG2_PORTS_MAX || !uart_place_is_named(&r))
        return true;
    if (uart_place_read(&r, "DBG2", warnings, &dbg2->port[dbg2->n_ports]) != STATUS_OK)
        return false;
    dbg2->n_ports++;
    return true;
}

/* The device at an offset of the table, whole; NULL: it does not fit. */
static const struct dbg2_device *device_at(const struct acpi_header *table, size_t offset)
{
    const struct dbg2_device *d = (const void *)((const uint8_t *)table + offset);

    if (offset > table->length || table->length - offset < sizeof(*d) || d->length < sizeof(*d) ||
        d->length > table->length - offset)
        return NULL;
    return d;
}

enum status dbg2_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct dbg2 *ret_dbg2)
{
    const struct dbg2_table *t = (const void *)table;
    const struct dbg2_device *d;
    size_t offset;

    if (!acpi_table_holds(table, sizeof(*t), "DBG2", warnings))
        return STATUS_INVALID;
    *ret_dbg2 = (struct dbg2){ 0 };
    offset = t->first;
    for (uint32_t i = 0; i < t->n; i++, offset += d->length) {
        d = offset < sizeof(*t) ? NULL : device_at(table, offset);
        if (!d) {
            warn_print(warnings,
                       "DBG2: port %u of %u is outside of the table; it and those after "
                       "it are ignored",
                       i + 1, t->n);
            break;
        }
        if (!read_device(d, warnings, ret_dbg2))
            break;
    }
    return STATUS_OK;
}
