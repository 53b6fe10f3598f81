// SPDX-License-Identifier: MIT
#include "host.h"
#include "host_steps.h"

#include <sched.h>
#include <stdbool.h>

#include "cpus/steps.h"

#define SPINS 1000000 /* some 10 ms */

static struct step_queue
    queues[HOST_STEPS_THREADS * HOST_STEPS_PARTS]; /* by part: the first thread's first */

void host_steps_spin(uint32_t *spins)
{
    if ((*spins)++ < SPINS)
        __builtin_ia32_pause();
    else
        sched_yield();
}

void host_steps_begin(const struct host_steps *s)
{
    for (uint32_t i = 0; i < s->n_threads * s->n_parts; i++)
        step_queue_begin(&queues[i], 0);
}

/* How many steps are done for all. */
static uint32_t count_done(const struct host_steps *s)
{
    uint32_t done = s->n_steps;

    for (uint32_t i = 0; i < s->n_threads * s->n_parts; i++) {
        uint32_t its = step_queue_done(&queues[i]);

        done = its < done ? its : done;
    }
    return done;
}

/* The least advanced of the thread's parts, if it can be taken. */
static bool take_step_of(const struct host_steps *s, uint32_t thread, uint32_t done, void *ctx)
{
    for (uint32_t ahead = 1; ahead <= s->ahead; ahead++) {
        uint32_t end = done + ahead < s->n_steps ? done + ahead : s->n_steps;

        for (uint32_t part = 0; part < s->n_parts; part++) {
            struct step_queue *turn = &queues[thread * s->n_parts + part];
            uint32_t step;

            if (step_queue_claim(turn, end, &step)) {
                s->visit(ctx, thread, part, step);
                step_queue_end(turn, step);
                return true;
            }
        }
    }
    return false;
}

static bool take_any_step(const struct host_steps *s, uint32_t thread, uint32_t done, void *ctx)
{
    for (uint32_t i = 0; i < s->n_threads; i++) {
        if (take_step_of(s, (thread + i) % s->n_threads, done, ctx))
            return true;
    }
    return false;
}

static uint64_t wait_for_more(const struct host_steps *s, uint32_t done)
{
    uint64_t began = host_now_ns();
    uint32_t spins = 0;

    while (count_done(s) == done)
        host_steps_spin(&spins);
    return host_now_ns() - began;
}

uint64_t host_steps_do(const struct host_steps *s, uint32_t thread, void *ctx)
{
    uint64_t waited_ns = 0;
    uint32_t done;

    while ((done = count_done(s)) < s->n_steps) {
        if (!take_any_step(s, thread, done, ctx))
            waited_ns += wait_for_more(s, done);
    }
    return waited_ns;
}
