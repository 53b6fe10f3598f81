// SPDX-License-Identifier: MIT
#include "rows/pair_latency.h"

#include <stddef.h>

#include "lib/sort.h"

#define TIMINGS 40

/* The low half is enough: a fetch takes less than 2^32 cycles. Ordered by LFENCE: Intel SDM, volume
 * 2, RDTSC. */
static uint32_t counter_in_order(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return low;
}

static void flush(const void *line)
{
    __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}

uint32_t pair_fetch(const void *line, const void *other)
{
    uint32_t began;

    flush(line);
    flush(other);
    __asm__ volatile("mfence" : : : "memory");
    began = counter_in_order();
    (void)*(const volatile uint8_t *)line;
    (void)*(const volatile uint8_t *)other;
    return counter_in_order() - began;
}

uint32_t pair_latency(const void *line, const void *other)
{
    uint32_t taken[TIMINGS];

    for (size_t i = 0; i < TIMINGS; i++)
        taken[i] = pair_fetch(line, other);
    sort_numbers(taken, TIMINGS);
    return taken[TIMINGS / 10];
}
