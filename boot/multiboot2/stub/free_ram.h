// SPDX-License-Identifier: MIT
/* Memory that the kernel may be loaded to, from GRUB's memory map (Multiboot2 2.0, 3.6.8). Pure. */
#pragma once

#include <stdint.h>

#include "boot/multiboot2/tag.h"
#include "lib/span.h"

#define FREE_RAM_USED_MAX 8

struct free_ram {
    const struct tag_memory_map *map;
    struct span used[FREE_RAM_USED_MAX]; /* must be left as they are */
    uint32_t n_used;
};

/*
 * The lowest page-aligned address from `from` on, between 1 MiB and 4 GiB, where size bytes are
 * available by one entry of the map, and neither used nor claimed by an entry of another type.
 * 0: there is none.
 */
uint64_t free_ram_next(const struct free_ram *free_ram, uint64_t from, uint64_t size);
