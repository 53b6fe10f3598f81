// SPDX-License-Identifier: MIT
/*
 * Whose work is at which step, where CPUs do each other's: each worker's steps are done one after
 * the other, by whichever CPU takes the next one.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One worker's; in a cache line of its own. */
struct turn {
    _Alignas(64) _Atomic uint64_t at;
};

/* The next step of the worker is this one. Nobody uses it meanwhile. */
void turn_begin(struct turn *t, uint32_t step);

/* Takes the worker's next step, if it is before `end` and nobody is at one. */
bool turn_take(struct turn *t, uint32_t end, uint32_t *ret_step);

/* How many of the worker's steps are done. */
uint32_t turn_done(const struct turn *t);

/* The step that was taken is done. */
void turn_end(struct turn *t, uint32_t step);
