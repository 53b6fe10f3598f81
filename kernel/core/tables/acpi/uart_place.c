// SPDX-License-Identifier: MIT
#include "acpi/uart_place.h"

#include "lib/span.h"

#define TYPE_16550          0x00
#define TYPE_16550_DBGP     0x01
#define TYPE_16550_BY_WIDTH 0x12 /* with the parameters of the generic address */

#define ACCESS_DWORD 3u

bool uart_type_is_16550(unsigned type)
{
    return type == TYPE_16550 || type == TYPE_16550_DBGP || type == TYPE_16550_BY_WIDTH;
}

static bool is_power_of_2_up_to_4(unsigned n)
{
    return n == 1 || n == 2 || n == 4;
}

bool uart_place_is_named(const struct acpi_register *r)
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

enum status uart_place_read(const struct acpi_register *r, const char *name,
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
