// SPDX-License-Identifier: MIT
/* How much of a plan has been tested. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memory/arena.h"
#include "plan/plan.h"

struct tested {
    struct plan *plan;
    bool has_begun;             /* until then `rest` is all */
    struct spans rest;          /* that no test has tested */
    struct spans common, spans; /* room */
};

/* Takes memory of the arena. After plan_allocate. */
void tested_prepare(struct tested *ret, struct plan *plan);

/* A test has tested all except where okram is and n other places, PLAN_PLACES_MAX in all. */
void tested_all_except(struct tested *tested, const struct footprint *const *also, size_t n);

/* A test has tested the rest, too. */
void tested_remaining(struct tested *tested);

/*
 * The run has ended, `stopped` early or not: what was not tested counts as untested in the plan's
 * `ram`.
 */
void tested_end(struct tested *tested, bool stopped);

/* Whether tested_bytes is at least 99 % of what is wanted. */
bool tested_is_complete(const struct plan *plan, uint64_t tested_bytes);
