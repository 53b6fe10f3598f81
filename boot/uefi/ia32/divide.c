// SPDX-License-Identifier: MIT
#include "boot/uefi/ia32/divide.h"

#include <stdbool.h>
#include <stddef.h>

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *ret_remainder)
{
    uint64_t quotient = 0, rest = 0;

    for (int bit = 63; bit >= 0; bit--) {
        bool carry = rest >> 63;

        rest = rest << 1 | (n >> bit & 1);
        if (carry || rest >= d) {
            rest -= d;
            quotient |= UINT64_C(1) << bit;
        }
    }
    if (ret_remainder)
        *ret_remainder = rest;
    return quotient;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    return __udivmoddi4(n, d, NULL);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    uint64_t remainder;

    __udivmoddi4(n, d, &remainder);
    return remainder;
}

int __ctzdi2(uint64_t n)
{
    uint32_t low = (uint32_t)n;

    return low ? __builtin_ctz(low) : 32 + __builtin_ctz((uint32_t)(n >> 32));
}
