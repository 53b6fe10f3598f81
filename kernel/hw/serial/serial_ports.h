// SPDX-License-Identifier: MIT
/*
 * Which serial ports the machine has, and which of them is used: COM1 to COM4, those of the tables
 * SPCR and DBG2, and PCI functions that are a 16550, as Intel's serial over LAN is. Boot CPU only,
 * before the tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "acpi/uart_place.h"
#include "options/options.h"

#define SERIAL_PORTS_MAX 16

struct serial_listed {
    char name[16]; /* "COM1", "SPCR", "DBG2", "PCI 00:16.3" */
    struct uart_place place;
    bool answers;
    bool is_used;
};

/*
 * Chooses the port that serial.port= names and sets it up (io/serial.h). By default it is the
 * first of these that answers: the SPCR's, for firmware shows its own screen there; COM1; DBG2's; a
 * PCI function's. A port that is asked for and does not answer gives a warning, and the default is
 * used. is_locked: so is one that is named by its address, which could be any device's registers.
 * After tables_open.
 */
void serial_ports_choose(const struct options *options, bool is_locked);

/* All of them, and whether they answer. Returns how many there are. */
size_t serial_ports_list(struct serial_listed list[SERIAL_PORTS_MAX]);
