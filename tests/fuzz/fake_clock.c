// SPDX-License-Identifier: MIT
#include "fake_clock.h"

#include "devices/arch/tsc.h"

static uint64_t now, looks;

void fake_clock_begin(void)
{
    now = looks = 0;
}

void fake_clock_pass(uint64_t us)
{
    now += us;
}

uint64_t fake_clock_looks(void)
{
    return looks;
}

uint64_t tsc_now(void)
{
    looks++;
    return now++;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us;
}

void tsc_wait_us(uint64_t us)
{
    now += us;
}
