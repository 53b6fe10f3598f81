// SPDX-License-Identifier: MIT
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
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guardlist/ram_use.h"

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
