/*
 * Time, from the time stamp counter of the boot CPU. Other CPUs use tsc_now() for deadlines only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/status.h"

static inline uint64_t tsc_now(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Remembers now as the run's start: the first thing the kernel does. */
void tsc_start(void);

/*
 * Finds the counter's frequency: CPUID leaf 0x15, else measured against the PIT, else against the
 * ACPI PM timer (its I/O port, 0: none), else CPUID leaf 0x16, else 1 GHz is assumed. Returns who
 * told: "CPUID", "PIT", "PM timer", "CPUID base frequency" or "a guess".
 */
const char *tsc_calibrate(uint16_t pm_timer_port);

/* Whether nobody could tell it yet: worth another try once the PM timer's port is known. */
bool tsc_source_is_guess(void);

uint64_t tsc_hz(void);

uint64_t tsc_from_us(uint64_t us);

/* Microseconds since tsc_start. */
uint64_t tsc_elapsed_us(void);

/* Waits, doing nothing. */
void tsc_wait_us(uint64_t us);
