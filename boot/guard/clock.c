// SPDX-License-Identifier: MIT
#include "clock.h"

#include <efi.h>
#include <efilib.h>

#define CALIBRATION_US 1000

static uint64_t begin, ticks_per_ms;

static uint64_t ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void guard_clock_start(void)
{
    begin = ticks();
    BS->Stall(CALIBRATION_US);
    ticks_per_ms = ticks() - begin;
    if (ticks_per_ms == 0)
        ticks_per_ms = 1;
}

uint64_t guard_clock_us(void)
{
    uint64_t passed = ticks() - begin;

    return passed / ticks_per_ms * 1000 + passed % ticks_per_ms * 1000 / ticks_per_ms;
}
