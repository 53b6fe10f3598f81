// SPDX-License-Identifier: MIT
/* I/O ports. */
#pragma once

#include <stdint.h>

/* io_in8(port), io_out8(port, value) and the like. */
#define IO_PORTS(bits, suffix)                                                                     \
    static inline uint##bits##_t io_in##bits(uint16_t port)                                        \
    {                                                                                              \
        uint##bits##_t value;                                                                      \
                                                                                                   \
        __asm__ volatile("in" suffix " %1, %0" : "=a"(value) : "Nd"(port));                        \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline void io_out##bits(uint16_t port, uint##bits##_t value)                           \
    {                                                                                              \
        __asm__ volatile("out" suffix " %0, %1" : : "a"(value), "Nd"(port));                       \
    }

IO_PORTS(8, "b")
IO_PORTS(16, "w")
IO_PORTS(32, "l")
