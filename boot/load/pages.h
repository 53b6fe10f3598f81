// SPDX-License-Identifier: MIT
/* Pages below 4 GiB by their number, which is the physical address >> 12. */
#pragma once

#include <stdint.h>

#include "lib/span.h"

/* Set in the number of a page that turned out to be bad. */
#define PAGE_IS_BAD (UINT32_C(1) << 31)

/* A physical address is a pointer. */
static inline void *page_pointer(uint32_t page)
{
    return (void *)(uintptr_t)((uint64_t)page << PAGE_SHIFT);
}

static inline uint32_t page_number(const void *at)
{
    return (uint32_t)((uintptr_t)at >> PAGE_SHIFT);
}
