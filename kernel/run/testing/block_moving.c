// SPDX-License-Identifier: MIT
#include "testing/element.h"

#include "cpus/cpu_pool.h"
#include "faults/cpu_evidence.h"
#include "faults/fault_emit.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "event/stop.h"
#include "mce/mca.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/block_move.h"

/* What all CPUs do at the same time. */
struct job {
    struct run *run;
    const struct data *data;
    struct test_place place;
    uint64_t first, bytes; /* of each share, what is moved at a time */
};

struct mover {
    const struct data *data;
    struct reporter reporter;
    struct sweep sweep;
};

static void move_span(void *ctx, struct span s)
{
    struct mover *m = ctx;

    while (s.size && !stop_is_requested() && !cpu_pool_is_aborted()) {
        struct span slice = sweep_next_slice(&s, false, SWEEP_SMALL_SLICE);

        cpu_pool_pass(m->reporter.cpu);
        mca_sweep_begin(slice);
        block_move(&m->sweep, m->data, share_slice(slice));
        mca_sweep_end(slice);
        reporter_flush(&m->reporter);
        cpu_pool_heartbeat(m->reporter.cpu);
        progress_swept(m->reporter.cpu, slice.size * BLOCK_MOVE_SWEEPS);
        cpu_evidence_swept(m->reporter.cpu, slice, BLOCK_MOVE_SWEEPS, true);
        ram_map_swept(slice);
        if (m->reporter.cpu == 0)
            cpu_poll(&m->reporter.run->poll);
    }
}

static void walk_part(const void *ctx, uint32_t worker, void (*visit)(void *ctx, struct span span),
                      void *visit_ctx)
{
    const struct job *job = ctx;

    share_walk(&job->run->shares, (struct share_piece){ worker, job->first, job->bytes, false },
               visit, visit_ctx);
}

static void move_part(void *ctx, uint32_t cpu)
{
    const struct job *job = ctx;
    struct mover mover = { .data = job->data,
                           .reporter = reporter_make(job->run, job->place, NULL, cpu) };

    mover.sweep = reporter_sweep(&mover.reporter);
    walk_part(job, plan_worker(&job->run->plan, cpu), move_span, &mover);
}

static void guard_part(const struct job *job)
{
    own_aliases_guard(&job->run->shares, (struct own_aliases_part){ walk_part, job, sizeof(*job) });
    fault_emit_own_aliases(job->run, job->place.pass);
}

void block_moving_run(struct run *run, const struct data *data, struct test_place place)
{
    const struct shares *shares = &run->shares;
    struct job job = {
        .run = run,
        .data = data,
        .place = place,
        .bytes = own_aliases_are_guarded() ? share_max_bytes(shares) : OWN_ALIASES_BATCH_BYTES,
    };

    for (; job.first < share_max_bytes(shares); job.first += job.bytes) {
        if (!own_aliases_are_guarded())
            guard_part(&job);
        if (lost_cpus_any() || aliases_hold_any(&run->found.aliases))
            return;
        cpu_pool_run_watched(run->plan.worker_cpus, (uint32_t)run->plan.n_workers,
                             (struct cpu_pool_job){ move_part, &job, &run->poll });
        if (stop_is_requested() || lost_cpus_any())
            return;
    }
    own_aliases_guarded_all();
}
