// SPDX-License-Identifier: MIT
/*
 * RAM in pieces, each of one use, and what they mean for the pages of a list.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_list.h"
#include "lib/fmt.h"

enum guard_use {
    GUARD_FREE,     /* conventional memory, which can be taken */
    GUARD_HELD,     /* firmware's or a loader's; RAM like any other for the operating system */
    GUARD_KEPT,     /* firmware's, ACPI's or runtime services', for good */
    GUARD_UNUSABLE, /* no operating system uses it */
};

struct guard_piece {
    uint64_t first; /* page number */
    uint64_t n;     /* pages */
    enum guard_use use;
};

/* Sorted by address, and disjoint. */
struct guard_ram_use {
    struct guard_piece *piece;
    size_t n;
};

/* Makes them so. Of pieces that overlap, the first counts. */
void guard_ram_use_sort(struct guard_ram_use *pieces);

uint64_t guard_ram_use_bytes(const struct guard_ram_use *pieces);

/* Free pages. */
uint64_t guard_ram_use_free(const struct guard_ram_use *pieces);

/*
 * The first part of a run that is in a piece; the caller goes on after it. n is 0 in a run that is
 * in none.
 */
struct guard_piece guard_ram_use_part(const struct guard_ram_use *pieces, struct guard_run run);

/* How many pages of a list are what. */
struct guard_tally {
    uint64_t free, held, kept, masked;
    uint64_t outside; /* no RAM */
};

/*
 * Adds the pages that are masked to `masked`, and those that an operating system would use, free or
 * held, to `usable`, unless NULL.
 */
void guard_tally(const struct guard_list *list, const struct guard_ram_use *pieces,
                 struct guard_writer *masked, struct guard_writer *usable,
                 struct guard_tally *ret_tally);

/* Of the pages of a list that are RAM. */
struct guard_counts {
    uint64_t listed, masked;
    uint64_t kept;     /* of the others, firmware's for good; the rest is a system's in the end */
    uint64_t reserved; /* of that rest, those that Linux leaves alone, by a table */
};

/* "1 of 2 bad pages masked"; "2 bad pages masked" where these are all. */
void guard_append_count(const struct guard_counts *counts, struct fmt_buffer *out);

/*
 * "1 of 2 bad pages masked; Windows still uses the other: replace the module". note: comes in
 * brackets after the counts, unless "".
 */
void guard_append_masked(const struct guard_counts *counts, const char *note,
                         struct fmt_buffer *out);

/*
 * Whether more than half of the free memory, or of the free memory below 4 GiB, would be taken. A
 * computer could not start without it.
 */
bool guard_takes_too_much(const struct guard_list *list, const struct guard_ram_use *pieces);
