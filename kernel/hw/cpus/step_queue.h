// SPDX-License-Identifier: MIT
/*
 * The steps of each worker's work, which any CPU may do: they are done one after the other, by
 * whichever CPU takes the next one.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One worker's; in a cache line of its own. */
struct step_queue {
    _Alignas(64) _Atomic uint64_t at;
};

/* Sets the worker's next step. Nothing else may use the queue meanwhile. */
void step_queue_begin(struct step_queue *t, uint32_t step);

/* Takes the worker's next step, if it is before `end` and no other is under way. */
bool step_queue_claim(struct step_queue *t, uint32_t end, uint32_t *ret_step);

/* The number of the worker's steps that are done. */
uint32_t step_queue_done(const struct step_queue *t);

/* The step that was taken is done. */
void step_queue_end(struct step_queue *t, uint32_t step);
