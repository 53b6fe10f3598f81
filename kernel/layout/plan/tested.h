// SPDX-License-Identifier: MIT
/* How much of the plan (plan/plan.h) has been tested. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memory/arena.h"

/* Takes memory of the arena. After plan_allocate. */
void tested_prepare(void);

/* A test has tested all except where okram is and n other places, PLAN_PLACES_MAX in all. */
void tested_all_except(const struct footprint *const *also, size_t n);

/* A test has tested the rest, too. */
void tested_remaining(void);

/*
 * The run has ended, `stopped` early or not: what was not tested counts as untested in plan.ram.
 */
void tested_end(bool stopped);

/* Whether tested_bytes is at least 99 % of what is wanted. */
bool tested_is_complete(uint64_t tested_bytes);
