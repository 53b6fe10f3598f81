// SPDX-License-Identifier: MIT
#include "machine/early_reader.h"

#include "arch/paging.h"
#include "machine/machine.h"

/* A read of device memory could do something. */
static const void *map_table(void *ctx, uint64_t phys, size_t length)
{
    const struct memory_region *r = memory_map_at(&machine.map, phys);

    if (!paging_is_mapped(phys, length) ||
        (r && (r->kind == BOOT_REGION_MMIO || r->kind == BOOT_REGION_PERSISTENT)))
        return NULL;
    return direct(phys);
}

const struct phys_reader early_reader = { .map = map_table };
