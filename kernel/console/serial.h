// SPDX-License-Identifier: MIT
/*
 * COM1: a 16550 at port 0x3f8, 115200 baud, 8N1, polled. A missing port is detected; one that
 * stops taking characters is waited for once. Neither blocks okram.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/status.h"

/* Looks for the port and sets it up. STATUS_NOT_FOUND when there is none: the calls below then do
 * nothing. May be called again. */
enum status serial_init(void);

bool serial_is_present(void);

/* Whether \n goes out as \r\n, which terminals want and programs do not. Off at first. */
void serial_set_carriage_return(bool on);

void serial_write(const char *text, size_t n);

/* Whether nothing, or a \n, was written last. */
bool serial_at_line_start(void);

/* The next character received, or -1. Does not wait. */
int serial_read(void);
