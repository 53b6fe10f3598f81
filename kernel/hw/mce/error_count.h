// SPDX-License-Identifier: MIT
/*
 * Machine checks, counted by bank and address, and errors of memory that firmware reports, by
 * source and place; and which of them are worth an event: a cell that fails at every read must not
 * fill the report. Pure: the host tests it.
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
