// SPDX-License-Identifier: MIT
#include "arch/tsc.h"

#include "arch/cpu.h"

/* Written only by the boot CPU, before other CPUs start. */
static uint64_t start, hz = TSC_HZ_MAX;

void tsc_start(void)
{
    start = tsc_now();
}

void tsc_set_hz(uint64_t new_hz)
{
    hz = new_hz;
}

uint64_t tsc_hz(void)
{
    return hz;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us / 1000000 * hz + us % 1000000 * hz / 1000000;
}

/* Whole seconds and the rest separately, so that no product overflows. */
static uint64_t to_us(uint64_t ticks)
{
    return ticks / hz * 1000000 + ticks % hz * 1000000 / hz;
}

uint64_t tsc_elapsed_us(void)
{
    return tsc_elapsed_us_at(tsc_now());
}

uint64_t tsc_elapsed_us_at(uint64_t tsc)
{
    return to_us(tsc - start);
}

uint64_t tsc_start_us(void)
{
    return to_us(start);
}

void tsc_wait_us(uint64_t us)
{
    uint64_t end = tsc_now() + tsc_from_us(us);

    while (tsc_now() < end)
        cpu_relax();
}
