// SPDX-License-Identifier: MIT
/* Which pages are masked of a list: all of them, unless no operating system could start then. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_room.h"
#include "lib/status.h"

/*
 * How many entries of the memory map reach a system, of which a run takes up to two:
 *
 * - Linux by GRUB 2.06: 168, on the page of its boot protocol. What has no place is lost.
 * - Windows: its boot manager keeps at most 512 descriptors, and does not start when there are more
 *   (Microsoft KB 4020050).
 * - Linux 6.1 and later keep at most 128 reserved ranges until all memory is mapped, and stop at
 * one more (mm/memblock.c). Where each 2 MiB has a hole, each hole takes one.
 *
 * In each, about half is for firmware.
 */
#define GUARD_RUNS_DEFAULT 60u

struct guard_limits {
    uint32_t max_runs;     /* 1 or more */
    unsigned good_eighths; /* most good pages between runs: eighths of the free memory */
};

struct guard_choice {
    struct guard_list list; /* these pages are masked */
    struct guard_room room; /* these are not */
};

/* How many bytes guard_choose needs. */
size_t guard_choose_bytes(const struct guard_list *list);

/*
 * Where the list has more runs than the limit, the smallest gaps between them are masked, too;
 * where that is not enough, only the longest runs are. Then what is in the room is taken out.
 *
 * The choice points into the list or into the buffer, which is aligned to 8 bytes.
 * STATUS_NO_SPACE: the choice is longer than a list can be.
 */
enum status guard_choose(const struct guard_list *list, const struct guard_ram_use *pieces,
                         const struct guard_limits *limits, void *buffer,
                         struct guard_choice *ret_choice);

/*
 * Writes the list with at most max_runs runs, 1 or more: the good pages between are listed, too,
 * and of all lists with that number of runs this is one that has the fewest. No more than max_good
 * good pages are: with fewer there may be more runs. number has room for n_runs numbers. Returns
 * the bytes of the list; 0: it does not fit. It fits where there is room for the list and
 * GUARD_LIST_HEAD more: one of version 1 becomes one of version 2.
 */
size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t max_good,
                  uint64_t *number, void *out, size_t size);

/*
 * Writes the longest max_runs runs of the list, of equal ones the first; number and the result are
 * as of guard_join.
 */
size_t guard_longest(const struct guard_list *list, uint32_t max_runs, uint64_t *number, void *out,
                     size_t size);
