// SPDX-License-Identifier: MIT
/* Registers that a fuzz target plays: stands in for kernel/cpu/arch/mmio.h. */
#pragma once

#include <stdint.h>

uint32_t mmio_read32(const volatile void *at);
void mmio_write32(volatile void *at, uint32_t value);
