// SPDX-License-Identifier: MIT
/*
 * How the boot CPU waits between two polls: it halts, and its local APIC's timer wakes it, where
 * that timer is known to run in a halted CPU (ARAT, CPUID leaf 6; or a hypervisor, which emulates
 * both). Elsewhere it may stop: AMD's families 0Fh to 11h enter C1E when all cores halt, whatever
 * was asked for, and their timers stop there (erratum 400). A CPU that waits for such a timer would
 * wait for ever. So it does not halt there, but spins: that costs power, not keys, time limits, or
 * the watch over the other CPUs.
 *
 * Other CPUs halt until an IPI, which wakes them from any state.
 */
#pragma once

#include <stdint.h>

/* Boot CPU, once its local APIC is on: measures the timer, and decides. */
void idle_begin(void);

/*
 * Boot CPU, with interrupts off before and after: returns when an interrupt has come, after most_us
 * at the latest. It may return much earlier.
 */
void idle_wait(uint32_t most_us);
