// SPDX-License-Identifier: MIT
/*
 * Time, from the time stamp counter of the boot CPU. Other CPUs use tsc_now() for deadlines, and
 * cpus/cpu_clocks.h measures how far theirs differ from it.
 */
#pragma once

#include <stdint.h>

static inline uint64_t tsc_now(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Ordered: after all earlier instructions of the program, before all later ones. */
static inline uint64_t tsc_now_in_order(void)
{
    uint32_t low, high;

    __asm__ volatile("mfence; lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Remembers now as the run's start: the first thing the kernel does. */
void tsc_start(void);

/* Above any counter's frequency. */
#define TSC_HZ_MAX UINT64_C(10000000000)

/*
 * The counter's frequency, 1 MHz or more. The last call applies to the whole run, the past
 * included. Until the first call TSC_HZ_MAX is assumed: no wait is too short then, and elapsed
 * time never decreases.
 */
void tsc_set_hz(uint64_t hz);

uint64_t tsc_hz(void);

uint64_t tsc_from_us(uint64_t us);

/* Microseconds since tsc_start: now, or when the counter was at that. */
uint64_t tsc_elapsed_us(void);
uint64_t tsc_elapsed_us_at(uint64_t tsc);

/* What the counter had counted at tsc_start, in microseconds. Most count from reset on. */
uint64_t tsc_start_us(void);

/* Waits, doing nothing. */
void tsc_wait_us(uint64_t us);
