// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

#include "lib/string.h"

/* Zeroes memory that is not read any more, which the compiler would not do. */
static inline void secret_wipe(void *bytes, size_t n)
{
    memset(bytes, 0, n);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}
