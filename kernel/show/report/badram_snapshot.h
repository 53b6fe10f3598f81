// SPDX-License-Identifier: MIT
/* A copy of the last badram event: for display after the event and its cover are gone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/events.h"
#include "lib/fmt.h"

/* "badram=" and two addresses of at most 52 bits a pattern, each with "0x" and a comma. */
#define BADRAM_LINE_MAX (sizeof("badram=") + COVER_PATTERNS_MAX * 2 * (2 + 13 + 1))

struct badram_snapshot {
    char line[BADRAM_LINE_MAX]; /* "" while no page is bad */
    size_t length;
    uint64_t bad_pages, sacrificed_pages, ranges;
    size_t n_patterns;
    enum badram_use use;
};

void badram_snapshot_set(struct badram_snapshot *k, const struct event_badram *b);

/* "2 patterns for 3 bad pages, 4 pages (16 KiB) sacrificed, 3 ranges" */
void badram_snapshot_describe(const struct badram_snapshot *k, struct fmt_buffer *out);

/*
 * How often the line is written while the run goes on. A long line takes seconds on a serial port,
 * so interim ones get at most a twentieth of the time; a short one always gets out.
 */
struct rate_limit {
    uint32_t baud;        /* of the serial port, 8N1; 0: 115200 */
    double spent_seconds; /* on the wire so far */
    bool ask;             /* the user asked: the next one is written at any cost */
};

/* Whether n bytes may be written at t seconds after kernel entry; counts them when they may. */
bool rate_limit_allows(struct rate_limit *p, double t, size_t n);
