// SPDX-License-Identifier: MIT
#include "cpus/steps.h"

/*
 * A step's number and the number of arrivals, in one word, so that a late arrival cannot be
 * counted.
 */
#define COUNT_BITS 16
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

static void group_begin(struct barrier_group *g, uint64_t first)
{
    for (uint64_t n = first; n < first + BARRIER_AHEAD_MAX; n++)
        atomic_store(&g->arrived[n % BARRIER_AHEAD_MAX], n << COUNT_BITS);
    atomic_store(&g->done, first);
}

void barrier_begin(struct barrier *b, uint32_t n_groups)
{
    /* Beyond every number with which a CPU could still arrive. */
    b->first = atomic_load(&b->root.done) + 2 * BARRIER_AHEAD_MAX;
    b->n_groups = n_groups;
    b->root.n_members = n_groups;
    group_begin(&b->root, b->first);
    for (uint32_t g = 0; g < n_groups; g++)
        group_begin(&b->group[g], b->first);
}

/* True: it was the last, and the entry is ready for the step that will use it next. */
static bool count(struct barrier_group *g, uint64_t number)
{
    _Atomic uint64_t *arrived = &g->arrived[number % BARRIER_AHEAD_MAX];
    uint64_t at = atomic_load(arrived), next;
    bool last;

    do {
        if (at >> COUNT_BITS != number)
            return false;
        last = (at & COUNT_MASK) + 1 == g->n_members;
        next = last ? (number + BARRIER_AHEAD_MAX) << COUNT_BITS : at + 1;
    } while (!atomic_compare_exchange_weak(arrived, &at, next));
    return last;
}

/* The release of one step may be overtaken by that of the next. */
static void set_done(struct barrier_group *g, uint64_t done)
{
    uint64_t at = atomic_load(&g->done);

    while (at < done && !atomic_compare_exchange_weak(&g->done, &at, done))
        ;
}

bool barrier_arrive(struct barrier *b, uint32_t group, uint64_t number)
{
    return count(&b->group[group], number) && count(&b->root, number);
}

void barrier_release(struct barrier *b, uint64_t number)
{
    set_done(&b->root, number + 1);
    for (uint32_t g = 0; g < b->n_groups; g++)
        set_done(&b->group[g], number + 1);
}

uint64_t barrier_done(const struct barrier *b, uint32_t group)
{
    return atomic_load(&b->group[group].done);
}

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
