// SPDX-License-Identifier: MIT
/* Registers of devices in memory that is mapped uncached. Addresses are multiples of 4. */
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read32(const volatile void *at)
{
    return *(const volatile uint32_t *)at;
}

static inline void mmio_write32(volatile void *at, uint32_t value)
{
    *(volatile uint32_t *)at = value;
}
