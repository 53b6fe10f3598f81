// SPDX-License-Identifier: MIT
/*
 * Where firmware's tables say that the registers of a 16550 are: SPCR (Serial Port Console
 * Redirection 1.10) and DBG2 (Debug Port Table 2, 1.3).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
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

/*
 * The serial port that firmware shows its own screen on, by table "SPCR".
 *
 * Reads a table returned by acpi_find. STATUS_NOT_FOUND: console redirection is turned off;
 * STATUS_UNSUPPORTED: the port is not a 16550; STATUS_INVALID, with a warning: it is too short, or
 * no port can be there. A speed that is not known gives a warning, and counts as the one that
 * firmware has set.
 */
enum status spcr_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct uart_place *ret_place);

#define DBG2_PORTS_MAX 4 /* more are not read */

/* The ports for debuggers, by table "DBG2". */
struct dbg2 {
    struct uart_place port[DBG2_PORTS_MAX]; /* of serial ports that are a 16550 */
    size_t n_ports;
};

/*
 * Reads a table returned by acpi_find: the first address of each such port. A malformed list of
 * ports gives a warning, and those before the first malformed one. STATUS_INVALID, with a warning:
 * the table is too short.
 */
enum status dbg2_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct dbg2 *ret_dbg2);
