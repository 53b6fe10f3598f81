// SPDX-License-Identifier: MIT
#include "machine/early_reader.h"

#include "arch/paging.h"

/* A read of device memory could do something. */
static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    const struct memory_region *r = memory_map_at(ctx, phys);

    if (!paging_is_mapped(phys, length) ||
        (r && (r->kind == BOOT_REGION_MMIO || r->kind == BOOT_REGION_PERSISTENT)))
        return NULL;
    return direct(phys);
}

struct phys_reader early_reader(const struct memory_map *map)
{
    return (struct phys_reader){ .map = map_table, .ctx = (void *)map };
}
