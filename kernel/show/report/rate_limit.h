// SPDX-License-Identifier: MIT
/*
 * How often the badram line is written while the run goes on. A long line takes seconds on a
 * serial port, so interim ones get at most a twentieth of the time; a short one always gets out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rate_limit {
    uint32_t baud;        /* of the serial port, 8N1; 0: 115200 */
    double spent_seconds; /* on the wire so far */
    bool ask;             /* the user asked: the next one is written at any cost */
};

/* Whether n bytes may be written at t seconds after kernel entry; counts them when they may. */
bool rate_limit_allows(struct rate_limit *p, double t, size_t n);
