// SPDX-License-Identifier: MIT
/* A clock that the test plays, in microseconds: stands in for kernel/cpu/arch/tsc.h. */
#pragma once

#include <stdint.h>

uint64_t tsc_now(void);
uint64_t tsc_from_us(uint64_t us);
void tsc_wait_us(uint64_t us);
