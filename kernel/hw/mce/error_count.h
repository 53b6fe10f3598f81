// SPDX-License-Identifier: MIT
/*
 * Machine checks, counted by bank and address, and errors of memory that firmware reports, by
 * source and place; and which of them are worth an event: a cell that fails at every read must not
 * fill the report, nor a report of firmware's that never goes away. Pure: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/error_block.h"
#include "mce/mca_decode.h"

#define MCE_COUNT_ENTRIES 512 /* further places are only counted, all together */

struct mce_count_entry {
    struct mca_record last; /* its count: all of them */
    uint64_t sent;          /* how many of them have been sent */
};

/* All zero: none yet. */
struct mce_count {
    struct mce_count_entry entry[MCE_COUNT_ENTRIES];
    size_t n;
    uint64_t uncounted; /* that found no entry */
};

/*
 * Counts a machine check. True: send it now, as *ret, whose count is of all so far of that bank and
 * address (without address: of that CPU's bank). The first is sent, then each time that there are
 * ten times as many; and each one that is uncorrected.
 */
bool mce_count_add(struct mce_count *c, const struct mca_record *record, struct mca_record *ret);

/* The next with a count that was not sent; now it counts as sent. False: no more. */
bool mce_count_next_unsent(struct mce_count *c, struct mca_record *ret);

#define CPER_COUNT_ENTRIES 128 /* further places are only counted, all together */

struct cper_report {
    uint32_t source; /* HEST's number of it */
    struct cper_memory memory;
    uint64_t count; /* of such errors */
};

/* All zero: none yet. */
struct cper_count {
    struct cper_count_entry {
        struct cper_report all;
        uint64_t sent; /* how many of them */
    } entry[CPER_COUNT_ENTRIES];
    size_t n;
    uint64_t uncounted; /* that found no entry */
};

/*
 * Counts one error. True: send it now, as *ret, whose count is of all so far of that source and
 * place. The first is sent, then each time that there are ten times as many.
 */
bool cper_count_add(struct cper_count *c, uint32_t source, const struct cper_memory *memory,
                    struct cper_report *ret);

/* The next with a count that was not sent; now it counts as sent. False: no more. */
bool cper_count_next_unsent(struct cper_count *c, struct cper_report *ret);

/*
 * Whether a status block of firmware holds news, for a reader that looks at it from time to time
 * and clears it; and when to ignore a report that never goes away.
 */

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
