// SPDX-License-Identifier: MIT
/* Memory that a fuzz target plays: stands in for kernel/cpu/arch/paging.h. */
#pragma once

#include <stdint.h>

#include "lib/span.h"

#define DIRECT_SIZE (UINT64_C(1) << 46)

enum paging_flags {
    PAGING_WRITE = 1 << 0,
    PAGING_UNCACHED = 1 << 2,
};

void *direct(uint64_t phys);
void *paging_map_direct(uint64_t phys, uint64_t size, unsigned flags);
