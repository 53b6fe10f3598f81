// SPDX-License-Identifier: MIT
/* The clock of devices/arch/tsc.h: it goes on by a microsecond each time that it is looked at. */
#pragma once

#include <stdint.h>

void fake_clock_begin(void);
void fake_clock_pass(uint64_t us);

/* How often it has been looked at. */
uint64_t fake_clock_looks(void);
