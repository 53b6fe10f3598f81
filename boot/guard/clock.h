// SPDX-License-Identifier: MIT
/* Time in microseconds, by the time stamp counter. */
#pragma once

#include <stdint.h>

/* Measures the counter's rate, which takes a millisecond. */
void guard_clock_start(void);

/* Since guard_clock_start. */
uint64_t guard_clock_us(void);
