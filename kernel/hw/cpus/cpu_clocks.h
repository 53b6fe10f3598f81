// SPDX-License-Identifier: MIT
/*
 * Whether the time stamp counters of all CPUs show the same time and count at the same rate, as
 * they do if firmware has set them up correctly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes the memory that is needed. Boot CPU, once the CPUs are known. */
void cpu_clocks_prepare(void);

/*
 * Compares each online CPU's counter with the boot CPU's: cpu_clocks_compare a second time, 20 ms
 * or more after cpu_clocks_begin, which shows counters with another rate. Boot CPU, once the pool
 * works. They take at most about a second if CPUs are held up; a CPU that did not answer counts as
 * right. Warns of counters that are certainly off by more than 10 us, a thousandth of the time of a
 * measurement with several CPUs (measure/measure.h).
 */
void cpu_clocks_begin(void);
void cpu_clocks_compare(void);

/* Now, as the boot CPU's counter would show it; called on that CPU. */
uint64_t cpu_clocks_now(uint32_t cpu);

/* Whether any CPU's counter has another rate: then times of different CPUs must not be compared. */
bool cpu_clocks_differ(void);
