// SPDX-License-Identifier: MIT
#include "cpus/step_queue.h"

/* Twice the next step; one more: it is taken. */
#define TAKEN 1

void turn_begin(struct turn *t, uint32_t step)
{
    atomic_store(&t->at, (uint64_t)step * 2);
}

bool turn_take(struct turn *t, uint32_t end, uint32_t *ret_step)
{
    uint64_t at = atomic_load(&t->at);

    if (at & TAKEN || at / 2 >= end || !atomic_compare_exchange_strong(&t->at, &at, at | TAKEN))
        return false;
    *ret_step = (uint32_t)(at / 2);
    return true;
}

uint32_t turn_done(const struct turn *t)
{
    return (uint32_t)(atomic_load(&t->at) / 2);
}

void turn_end(struct turn *t, uint32_t step)
{
    turn_begin(t, step + 1);
}
