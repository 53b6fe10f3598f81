// SPDX-License-Identifier: MIT
/* Where a table says that the registers of a 16550 are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/fadt.h"
#include "lib/status.h"
#include "lib/warn.h"

#define UART_REGISTERS 8u

struct uart_place {
    uint64_t address;  /* of the first register; not 0, and all of them are in the address space */
    bool in_memory;    /* else I/O ports, with a stride and a width of 1 */
    uint8_t stride;    /* bytes from one register to the next: 1, 2, 4 */
    uint8_t width;     /* bytes that are accessed at once: 1 up to the stride */
    uint32_t clock_hz; /* 0: that of a PC's ports */
    uint32_t baud;     /* 0: the one that firmware has set */
};

/* Below are the devices of the mainboard. */
#define UART_IO_MIN 0x100u

/* Whether these I/O ports can be a 16550's: not where a write would reach PCI or the reset. */
static inline bool uart_io_is_possible(uint64_t port)
{
    enum { PCI_FIRST = 0xcf8, PCI_LAST = 0xcff };

    return port >= UART_IO_MIN && port <= UINT16_MAX + 1 - UART_REGISTERS &&
           (port > PCI_LAST || port + UART_REGISTERS <= PCI_FIRST);
}

/* Bytes from the first register to the end of the last. */
static inline uint64_t uart_place_bytes(const struct uart_place *p)
{
    return (UART_REGISTERS - 1) * p->stride + p->width;
}

/* The interface types of SPCR and DBG2 (DBG2 1.3, table 3) that are a 16550. */
bool uart_type_is_16550(unsigned type);

/* False: the table has a place for an address only. It is 0, or all ones from a page's bits on. */
bool uart_place_is_named(const struct acpi_register *r);

/*
 * Reads a named address of table `name` (ACPI 6.5, 5.2.3.2). In memory its bit width is the stride,
 * its access size the width; where it has no bit width, as with coreboot, the stride, too.
 * STATUS_INVALID, with a warning: no 16550 can be there.
 */
enum status uart_place_read(const struct acpi_register *r, const char *name,
                            const struct warnings *warnings, struct uart_place *ret_place);
