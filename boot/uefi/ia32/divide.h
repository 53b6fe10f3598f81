// SPDX-License-Identifier: MIT
/*
 * 64-bit division in 32-bit code. The compiler calls it by libgcc's names; many systems do not
 * install the 32-bit libgcc. Pure.
 */
#pragma once

#include <stdint.h>

/* n / d, and the remainder unless ret_remainder is NULL. d is not 0. */
uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *ret_remainder);

uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);

/* The number of the lowest bit that is set; n is not 0. */
int __ctzdi2(uint64_t n);
