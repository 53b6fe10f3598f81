// SPDX-License-Identifier: MIT
/* Where the modules of this folder have a device's registers from. */
#pragma once

#include <stdint.h>

/*
 * The registers at a physical address, mapped uncached; NULL when no registers can be there, or
 * they cannot be reached yet.
 */
typedef volatile uint32_t *(*dma_map)(uint64_t phys, uint64_t bytes);
