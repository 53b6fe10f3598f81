// SPDX-License-Identifier: MIT
#include "acpi/dbg2.h"

#include "lib/string.h"

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
