// SPDX-License-Identifier: MIT
#include "testing/block_moving.h"

#include "cpus/cpu_pool.h"
#include "emit/fault_emit.h"
#include "emit/progress.h"
#include "event/stop.h"
#include "loop/poll.h"
#include "mce/mca.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/block_move.h"

/* Written by the boot CPU before each cpu_pool_run. */
static struct {
    const struct data *data;
    struct test_place place;
    uint64_t first, bytes; /* of each share, so much at a time */
} job;

struct mover {
    struct reporter reporter;
    struct sweep sweep;
};

static void move_span(void *ctx, struct span s)
{
    struct mover *m = ctx;

    while (s.size && !stop_is_requested() && !cpu_pool_is_broken_off()) {
        struct span slice = sweep_next_slice(&s, false, SWEEP_SMALL_SLICE);

        mca_sweep_begin(slice);
        block_move(&m->sweep, job.data, share_slice(slice));
        mca_sweep_end(slice);
        reporter_flush(&m->reporter);
        cpu_pool_beat(m->reporter.cpu);
        progress_swept(m->reporter.cpu, slice.size * BLOCK_MOVE_SWEEPS);
        if (m->reporter.cpu == 0)
            poll_due();
    }
}

static void walk_part(uint32_t worker, void (*visit)(void *ctx, struct span span), void *ctx)
{
    share_walk(worker, job.first, job.bytes, false, visit, ctx);
}

static void move_part(void *ctx, uint32_t cpu)
{
    struct mover mover = { .reporter = reporter_make(job.place, NULL, cpu) };

    mover.sweep = reporter_sweep(&mover.reporter);
    walk_part(share_worker(cpu), move_span, &mover);
}

static void guard_part(void)
{
    own_aliases_guard(walk_part);
    fault_emit_own_aliases(job.place.pass);
}

static void move_parts(uint64_t part_bytes)
{
    job.bytes = part_bytes;
    for (job.first = 0; job.first < share_max_bytes(); job.first += part_bytes) {
        if (!own_aliases_are_guarded())
            guard_part();
        if (!lost_cpus_any())
            cpu_pool_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, move_part, NULL);
        if (stop_is_requested() || lost_cpus_any())
            return;
    }
    own_aliases_guarded_all();
}

void block_moving_run(const struct data *data, struct test_place place)
{
    job.data = data;
    job.place = place;
    move_parts(own_aliases_are_guarded() ? share_max_bytes() : OWN_ALIASES_BATCH_BYTES);
}
