// SPDX-License-Identifier: MIT
/* How much of the plan (plan/plan.h) has been tested. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes memory of the arena. */
void tested_prepare(void);

/* A test has tested the main part; what okram had left. */
void tested_main(void);
void tested_left(void);

/*
 * The run has ended, `stopped` early or not: what was not tested counts as untested in plan.ram.
 */
void tested_end(bool stopped);

/* Whether so many bytes are 99 % of what is wanted. */
bool tested_is_complete(uint64_t tested_bytes);
