// SPDX-License-Identifier: MIT
/* What the guard has done: a line for a person, and variables for the operating system. */
#pragma once

#include "guardlist/ram_use.h"
#include "source.h"

struct guard_status {
    const struct guard_source *source;
    struct guard_tally tally;
    uint64_t n_between;                /* good pages that are masked with them (runs=) */
    uint64_t n_room;                   /* left free: no system could start without them */
    uint64_t n_beyond;                 /* left free: the list has too many runs (runs=) */
    uint64_t reserved;                 /* pages in Linux's table */
    uint64_t us;                       /* that the guard took */
    const struct guard_patrol *patrol; /* NULL: there was none */
};

/* Firmware holds these, for itself or for other reasons: they could not be masked. */
uint64_t guard_status_held(const struct guard_status *status);

/* OkramGuardStatus, of which docs/guard-forms.md describes the fields. */
void guard_status_store(const struct guard_status *status);

/* OkramGuardMasked: a list of `bytes`; 0: the variable is deleted. */
void guard_status_store_masked(const void *list, size_t bytes);

/* One line on the console; of a patrol another one. */
void guard_status_print(const struct guard_status *status);
