// SPDX-License-Identifier: MIT
/*
 * How fast the boot CPU's time stamp counter counts. Who may know is asked in this order: CPUID's
 * crystal, the hypervisor, the HPET, the PM timer, the PIT. The first one that most others agree
 * with is used; who differs from it by more than 1 % (lib/rate.h) is told in a warning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What firmware's tables name. */
struct tsc_rate_named {
    uint16_t pm_timer_port;                      /* 0: none */
    const volatile uint32_t *pm_timer_registers; /* NULL: none */
    bool pm_timer_is_32bit;
    volatile uint32_t *hpet; /* NULL: none */
};

/* As far as it can be known without firmware's tables: the first thing that is done. */
void tsc_rate_begin(void);

/*
 * With all clocks, after tsc_rate_begin. A named one that stands still, or cannot be, is told.
 * CPUID's base frequency is taken where there is no clock at all, and 1 GHz where CPUID has none.
 */
void tsc_rate_calibrate(const struct tsc_rate_named *named);
