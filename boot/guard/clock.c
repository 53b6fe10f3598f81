// SPDX-License-Identifier: MIT
#include "clock.h"

#include <efi.h>
#include <efilib.h>

#include "lib/minmax.h"

/* A look may take longer than it should, where firmware's SMM or an emulator has other work. */
#define LOOK_US 250
#define LOOKS   4

static uint64_t begin, ticks_per_ms;

static uint64_t ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static uint64_t look(void)
{
    uint64_t before = ticks();

    BS->Stall(LOOK_US);
    return ticks() - before;
}

void guard_clock_start(void)
{
    uint64_t least = UINT64_MAX;

    begin = ticks();
    for (unsigned i = 0; i < LOOKS; i++)
        least = min_u64(least, look());
    ticks_per_ms = max_u64(least * (1000 / LOOK_US), 1);
}

uint64_t guard_clock_us(void)
{
    uint64_t passed = ticks() - begin;

    return passed / ticks_per_ms * 1000 + passed % ticks_per_ms * 1000 / ticks_per_ms;
}
