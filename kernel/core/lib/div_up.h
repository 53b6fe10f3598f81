// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/* n / each, rounded up: how many parts of `each` hold n. */
static inline uint64_t div_up(uint64_t n, uint64_t each)
{
    return n / each + (n % each != 0);
}
