// SPDX-License-Identifier: MIT
/*
 * Pages that were taken out of the memory map before okram started: by GRUB's badram or cutmem, or
 * by the guard. By UEFI, GRUB and the guard make them EfiUnusableMemory; by BIOS, GRUB leaves a
 * gap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/memory_map.h"

/* How a page was taken out, or seems to have been. */
enum hidden_kind {
    HIDDEN_UNUSABLE, /* it is in the map, as unusable */
    HIDDEN_HOLE,     /* it is not in the map: RAM or not */
};

/*
 * The next one from region *at on, in whole pages; moves *at on. False: there is none. Unusable
 * memory counts between RAM on both sides, or, up to 256 pages, beside it: more at an end of RAM
 * may be graphics' memory, which some firmware lists so. A hole of less than 256 pages counts
 * between usable memory on both sides, but not from 640 KiB to 1 MiB.
 */
bool hidden_next(const struct memory_map *map, enum hidden_kind kind, size_t *at,
                 struct span *ret_span);

/* All of a kind. */
uint64_t hidden_pages(const struct memory_map *map, enum hidden_kind kind);
