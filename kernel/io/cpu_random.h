// SPDX-License-Identifier: MIT
/* Random numbers of the CPU. Functions without a stack guard: its value may be made of them. */
#pragma once

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

#define CPU_RANDOM_FUNCTION __attribute__((no_stack_protector)) static inline

/* Intel SDM, volume 1, 7.3.17: the CPU's source may be exhausted for a while. */
#define CPU_RANDOM_TRIES 100

CPU_RANDOM_FUNCTION bool cpu_has_rdrand(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_RDRND;
}

CPU_RANDOM_FUNCTION bool cpu_has_rdseed(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_RDSEED;
}

/* 0: it gave none. Only if the CPU has the instruction. */
#define CPU_RANDOM(instruction)                                                                    \
    CPU_RANDOM_FUNCTION uintptr_t cpu_##instruction(void)                                          \
    {                                                                                              \
        uintptr_t value = 0;                                                                       \
        bool is_ready = false;                                                                     \
                                                                                                   \
        for (unsigned i = 0; i < CPU_RANDOM_TRIES && !is_ready; i++)                               \
            __asm__ volatile(#instruction " %0" : "=r"(value), "=@ccc"(is_ready) : : "cc");        \
        return is_ready ? value : 0;                                                               \
    }

CPU_RANDOM(rdrand)
CPU_RANDOM(rdseed)
