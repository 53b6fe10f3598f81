// SPDX-License-Identifier: MIT
/*
 * The serial port: a 16550, 8N1, polled. A missing port is detected, and never waited for; one that
 * stops taking characters is waited for once. Neither blocks okram. Which port is used:
 * serial/serial_ports.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define SERIAL_COM1 0x3f8
#define SERIAL_BAUD UINT32_C(115200)

/* A port that is set to less gets SERIAL_BAUD. */
#define SERIAL_BAUD_MIN 1200

struct serial_port {
    uint16_t io;                 /* of the first register, unless it is in memory */
    volatile uint8_t *registers; /* in memory, mapped uncached; NULL: I/O ports */
    uint8_t stride, width;       /* in memory: bytes from one to the next, and of an access */
    uint32_t clock_hz;           /* 0: that of a PC's ports */
    uint32_t baud;               /* 0: as it is set, or SERIAL_BAUD */
};

/* Whether one is there, by its scratch register: nothing of it is changed, nothing is sent. */
bool serial_answers(const struct serial_port *p);

/*
 * From now on this is the port. It is looked for, by scratch register and loopback, and set up.
 * STATUS_NOT_FOUND when there is none: the calls below then do nothing. May be called again.
 */
enum status serial_use(const struct serial_port *p);

/* serial_use for COM1 at SERIAL_BAUD. */
enum status serial_init(void);

/* The speed, rounded down, of the port that is used. */
uint32_t serial_baud(void);

bool serial_is_present(void);

/* Whether \n goes out as \r\n, which terminals want and programs do not. Off at first. */
void serial_set_carriage_return(bool on);

void serial_write(const char *text, size_t n);

/* Whether nothing, or a \n, was written last. */
bool serial_at_line_start(void);

/* The next character received, or -1. Does not wait. */
int serial_read(void);
