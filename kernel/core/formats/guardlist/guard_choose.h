// SPDX-License-Identifier: MIT
/*
 * Which pages are masked of a list: all of them, unless no operating system could start then. The
 * *room* is what each needs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/ram_use.h"
#include "lib/status.h"

/*
 * What no list of bad pages may take, because no operating system starts without it.
 *
 * Below 1 MiB: a CPU starts in real mode there. Linux copies its trampoline to a contiguous part of
 * some 24 KiB, above the 64 KiB that it leaves to firmware, and stops without one
 * (arch/x86/realmode/init.c); Xen's takes 64 KiB (xen/arch/x86/efi/efi-boot.h), Windows' a page.
 *
 * Below 2 GiB: GRUB takes none of its memory from above that (GRUB_EFI_MAX_USABLE_ADDRESS). GRUB
 * 2.06 takes its heap, a quarter of what is free there, from the largest part, and then twice the
 * init_size of Linux, 51 MiB of Debian 12's kernel, each in one piece; Linux's EFI stub asks for
 * init_size once, aligned to 2 MiB. The initial file system is in one piece, of up to some hundred
 * MiB in live systems; so is the boot.wim of Windows' installation.
 */

/* In pages. Where firmware has left less, all that it has left. */
#define GUARD_ROOM_LOW_PAGES (UINT64_C(128) << 10 >> 12)
#define GUARD_ROOM_LOW_FIRST (UINT64_C(64) << 10 >> 12)
#define GUARD_ROOM_LOW_END   (UINT64_C(640) << 10 >> 12)

/*
 * The large part: a quarter of what is free there, but at least MIN and at most MAX. MIN is what
 * GRUB 2.06 needs for Debian 12's kernel. It takes init_size (52 MiB) twice, the second aligned to
 * 2 MiB, and the kernel's file (14 MiB) twice: of the room, the part of it that is GRUB's heap, or
 * both. At the worst division almost one more init_size stays unused in each: 3 * 54 + 2 * 14, and
 * the rest for what firmware allocates. MAX is as much for an init_size of 76 MiB.
 */
#define GUARD_ROOM_LARGE_MIN   (UINT64_C(224) << 20 >> 12)
#define GUARD_ROOM_LARGE_MAX   (UINT64_C(288) << 20 >> 12)
#define GUARD_ROOM_LARGE_FIRST (UINT64_C(1) << 20 >> 12)
#define GUARD_ROOM_LARGE_END   (UINT64_C(2) << 30 >> 12)

/* Two contiguous parts of free memory; n is 0 where there is none. */
struct guard_room {
    struct guard_run low, large;
    uint64_t n_listed; /* pages of the list that are in them */
};

/* Finds parts with the fewest listed pages: of one list and one map always the same. */
void guard_room_find(const struct guard_list *list, const struct guard_ram_use *pieces,
                     struct guard_room *ret_room);

/* How much longer than the list guard_room_cut's may be. */
#define GUARD_ROOM_CUT_SPARE 64u

/*
 * Writes the list without the pages that are in the room. Returns the bytes of the list; 0: it does
 * not fit.
 */
size_t guard_room_cut(const struct guard_list *list, const struct guard_room *room, void *out,
                      size_t size);

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

/* Where a list is written, and room for n_runs numbers. */
struct guard_output {
    void *list;
    size_t size;
    uint64_t *number;
};

/*
 * Writes the list with at most max_runs runs, 1 or more: the good pages between are listed, too,
 * and of all lists with that number of runs this is one that has the fewest. No more than max_good
 * good pages are: with fewer there may be more runs. Returns
 * the bytes of the list; 0: it does not fit. It fits where there is room for the list and
 * GUARD_LIST_HEAD more: one of version 1 becomes one of version 2.
 */
size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t max_good,
                  const struct guard_output *out);

/* Writes the longest max_runs runs of the list, of equal ones the first; else as guard_join. */
size_t guard_longest(const struct guard_list *list, uint32_t max_runs,
                     const struct guard_output *out);
