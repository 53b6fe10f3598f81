// SPDX-License-Identifier: MIT
/*
 * Whether a status block of firmware holds news, for a reader that looks at it from time to time
 * and clears it; and when to ignore a report that never goes away. Pure: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERROR_WATCH_SAME_MAX 40 /* looks in a row that find the same report */

/* All zero: nothing seen yet. */
struct error_watch {
    uint32_t crc;      /* of the last report */
    bool is_there;     /* it was there at the last look, */
    bool is_uncleared; /* and still after it had been cleared */
    uint32_t n_same;   /* looks in a row that have found it again */
};

/* In each case the block must be cleared. */
enum error_news {
    ERROR_NEWS,    /* to be counted */
    ERROR_NO_NEWS, /* counted before, or ignored */
    ERROR_IGNORED, /* from now on, for as long as the block holds nothing else */
};

/* The block is empty. */
void error_watch_empty(struct error_watch *w);

/* The block holds a report of n bytes. */
enum error_news error_watch_report(struct error_watch *w, const void *bytes, size_t n);

/* The report was cleared: whether the block has been read back as empty. */
void error_watch_cleared(struct error_watch *w, bool is_empty);
