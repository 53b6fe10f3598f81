// SPDX-License-Identifier: MIT
/*
 * Time that passes only when it is looked at, in microseconds: stands in for kernel/cpu/arch/tsc.h.
 * A loop that waits without a deadline never ends, and one with a deadline soon does.
 */
#pragma once

#include <stdint.h>

uint64_t tsc_now(void);
uint64_t tsc_from_us(uint64_t us);
void tsc_wait_us(uint64_t us);
