// SPDX-License-Identifier: MIT
#include "cpus/step_queue.h"

/* The word is twice the next step, plus TAKEN if that step is taken. */
#define TAKEN 1

void step_queue_begin(struct step_queue *t, uint32_t step)
{
    atomic_store(&t->at, (uint64_t)step * 2);
}

bool step_queue_claim(struct step_queue *t, uint32_t end, uint32_t *ret_step)
{
    uint64_t at = atomic_load(&t->at);

    if (at & TAKEN || at / 2 >= end || !atomic_compare_exchange_strong(&t->at, &at, at | TAKEN))
        return false;
    *ret_step = (uint32_t)(at / 2);
    return true;
}

uint32_t step_queue_done(const struct step_queue *t)
{
    return (uint32_t)(atomic_load(&t->at) / 2);
}

void step_queue_end(struct step_queue *t, uint32_t step)
{
    step_queue_begin(t, step + 1);
}
