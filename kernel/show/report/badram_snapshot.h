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
