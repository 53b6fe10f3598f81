// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/* How many parts of `each` hold n, the last one perhaps not full. */
static inline uint64_t div_up(uint64_t n, uint64_t each)
{
    return n / each + (n % each != 0);
}
