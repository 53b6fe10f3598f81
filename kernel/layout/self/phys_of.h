// SPDX-License-Identifier: MIT
/* The physical address of something of okram's own, until okram moves. */
#pragma once

#include <stdint.h>

#include "arch/paging.h"

static inline uint64_t phys_of(const void *at)
{
    return paging_translate((uint64_t)at);
}
