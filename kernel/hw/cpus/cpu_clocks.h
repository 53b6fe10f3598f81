// SPDX-License-Identifier: MIT
/*
 * Whether the time stamp counters of all CPUs show the same time and count at the same rate, as
 * they do on machines whose firmware is right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes the memory that is needed. Boot CPU, once the CPUs are known. */
void cpu_clocks_prepare(void);

/*
 * Compares each online CPU's counter with the boot CPU's, twice, so that one that counts at another
 * speed shows. Boot CPU, once the pool works. Takes 20 ms, and at most about a second more where
 * CPUs are held up; a CPU of which nothing could be learned counts as right. What is certainly off
 * by more than 10 us is warned about: a thousandth of what a measurement with several CPUs lasts
 * (measure/measure.h).
 */
void cpu_clocks_compare(void);

/* Now, as the boot CPU's counter would show it; called on that CPU. */
uint64_t cpu_clocks_now(uint32_t cpu);

/* Whether a CPU's counter has another speed, and times of different CPUs must not be compared. */
bool cpu_clocks_differ(void);
