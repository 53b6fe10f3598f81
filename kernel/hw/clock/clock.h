// SPDX-License-Identifier: MIT
/*
 * How fast the boot CPU's time stamp counter counts. Sources, in order of preference: CPUID's
 * crystal (tsc_cpuid), the hypervisor (tsc_cpuid), the HPET, the PM timer, the PIT. The first one
 * that most others agree with is used; one that differs from it by more than 1 % (lib/rate.h) is
 * reported in a warning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The clocks that firmware's tables report. */
struct clock_firmware {
    uint16_t pm_timer_port;                      /* 0: none */
    const volatile uint32_t *pm_timer_registers; /* NULL: none */
    volatile uint32_t *hpet;                     /* NULL: none */
};

/* By the sources that need no firmware tables: the first thing that is done. */
void clock_begin(void);

/*
 * With all clocks, after clock_begin. One that firmware reports and that does not count gives a
 * warning, but for an HPET that is not to be seen (clock_absent). CPUID's base frequency is taken
 * where there is no clock at all, and 1 GHz where CPUID has none.
 */
void clock_calibrate(const struct clock_firmware *firmware);

/*
 * Clocks that the chipset does not show or has stopped, as is usual on new machines: "HPET hidden",
 * "PIT stopped" or both; "": none. Not worth a warning.
 */
const char *clock_absent(void);

/* The source that is used: "HPET", or "none, a guess". */
const char *clock_source(void);
