// SPDX-License-Identifier: MIT
/*
 * The clocks of known frequency in a PC, for lib/rate.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/rate.h"
#include "lib/status.h"

/* The 8254's channel 2, restarted: 16 bits at 1.193182 MHz. Where there is none it does not
 * count.
 */
struct rate_clock clock_pit(void);

/*
 * ACPI's PM timer (ACPI 6.5, 4.8.3.3): at an I/O port, or at `registers` if they are not NULL. Its
 * low 24 bits, which each has: not all have 32 where the FADT says so.
 */
struct rate_clock clock_pm_timer(uint16_t port, const volatile uint32_t *registers);

/* Whether nothing is where an HPET should be: its chipset does not decode these addresses. */
bool clock_hpet_is_hidden(const volatile uint32_t *registers);

/*
 * The HPET's main counter, of which the low 32 bits are always there (IA-PC HPET Specification
 * 1.0a, 2.3), turned on if it was off. STATUS_INVALID: it reports a period of 0 or more than 100
 * ns, or less than 1 ns, which no HPET has; *ret_period_fs is written then, too.
 */
enum status clock_hpet_begin(volatile uint32_t *registers, struct rate_clock *ret_clock,
                             uint32_t *ret_period_fs);

/* Turns it off again, if it was off. */
void clock_hpet_end(volatile uint32_t *registers);
