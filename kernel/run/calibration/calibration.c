// SPDX-License-Identifier: MIT
#include "calibration/calibration.h"

#include <stddef.h>

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/engine.h"

/* What a CPU measures. */
struct job {
    const struct calibration *calibration;
    struct span span;
    unsigned rounds;
    uint64_t best_ticks; /* written by that CPU */
};

static void ignore(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
}

struct calibration calibration_init(const struct line_ops *ops, const char *notation,
                                    enum order_lanes lanes)
{
    struct calibration t = { .ops = ops, .lanes = lanes, .data = data_background(0) };
    struct march_error error;

    ASSERT(march_parse(notation, &t.march, &error) == MARCH_OK);
    return t;
}

/* The operations on each line. */
static uint32_t calibration_ops(const struct calibration *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->march.n_elements; i++)
        n += t->march.element[i].kind == MARCH_PAUSE ? 0 : t->march.element[i].n_ops;
    return n;
}

struct span calibration_piece(const struct shares *shares, uint32_t worker, uint64_t most_bytes)
{
    struct span best = { 0 };

    for (size_t i = shares->first[worker]; i < shares->first[worker + 1] && best.size < most_bytes;
         i++) {
        struct span s = share_longest_kept(shares, shares->part[i].span);

        s.size = min_u64(s.size, most_bytes);
        if (s.size > best.size)
            best = s;
    }
    return best;
}

struct span calibration_span(struct trials trials, uint32_t worker, uint64_t most_bytes)
{
    struct span s;

    do
        s = calibration_piece(trials.shares, worker, most_bytes);
    while (own_aliases_guard_span(trials.shares, s, trials.poll));
    return s;
}

uint64_t calibration_run(const struct calibration *t, struct span s)
{
    struct sweep sweep = { .ops = t->ops,
                           .has_clflushopt = machine.cpu.clflushopt,
                           .lanes = t->lanes,
                           .faults = { .report = ignore, .ctx = NULL } };
    uint64_t began = tsc_now();

    for (uint32_t i = 0; i < t->march.n_elements; i++) {
        if (t->march.element[i].kind != MARCH_PAUSE)
            sweep_element(&sweep, &t->march.element[i], &t->data, share_slice(s));
    }
    return tsc_now() - began;
}

static void try(void *ctx, uint32_t cpu)
{
    struct job *job = ctx;

    for (unsigned round = 0; round < job->rounds && !cpu_pool_is_aborted(); round++) {
        uint64_t took = calibration_run(job->calibration, job->span);

        job->best_ticks = min_u64(job->best_ticks, took);
    }
}

double calibration_speed(struct trials trials, const struct calibration *t, uint32_t worker,
                         unsigned rounds, struct span s)
{
    const uint32_t *cpu = &trials.shares->plan->worker_cpus[worker];
    struct job job = { .calibration = t, .span = s, .rounds = rounds, .best_ticks = UINT64_MAX };

    if (s.size)
        cpu_pool_run(cpu, 1, (struct cpu_pool_job){ try, &job, NULL });
    cpu_poll(trials.poll);
    if (job.best_ticks == UINT64_MAX || !job.best_ticks)
        return 0;
    return (double)(calibration_ops(t) * s.size) / (double)job.best_ticks;
}
