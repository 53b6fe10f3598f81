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
