// SPDX-License-Identifier: MIT
#include "run/element.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/stop.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "run/fault_emit.h"
#include "run/poll.h"
#include "run/progress.h"
#include "run/selection.h"
#include "self/own_aliases.h"
#include "sweep/engine.h"

/* The current element: written by the boot CPU before each cpu_pool_run. */
static struct {
    const struct march_element *element;
    const struct data *data;
    struct test_place place;
    struct order order;
    uint32_t step, end; /* the steps of the order that are done now */
} job;

struct sweeper {
    struct sweep sweep;
    struct reporter reporter;
};

static bool is_down(void)
{
    return job.element->kind == MARCH_DOWN;
}

/* A part of memory, slice by slice, in the element's direction. */
static void sweep_span(void *ctx, struct span s)
{
    struct sweeper *sweeper = ctx;
    uint32_t cpu = sweeper->reporter.cpu;

    while (s.size && !stop_is_requested() && !cpu_pool_is_broken_off()) {
        struct span slice = sweep_next_slice(&s, is_down());

        sweep_element(&sweeper->sweep, job.element, job.data, share_slice(slice));
        reporter_settle(&sweeper->reporter);
        cpu_pool_beat(cpu);
        progress_swept(cpu, slice.size * job.element->n_ops);
        if (cpu == 0)
            poll_due();
    }
}

static void sweeper_make(uint32_t cpu, struct sweeper *ret)
{
    ret->reporter = reporter_make(job.place, job.data, cpu);
    ret->sweep = reporter_sweep(&ret->reporter);
    if (selection.lanes)
        ret->sweep.lanes = order_lanes(job.order);
}

/* Of a worker's share. */
static uint64_t section_bytes(uint64_t share)
{
    return align_up(share / ORDER_SECTIONS + 1, LINE_SIZE);
}

/* What a worker does in a step. */
static void walk_section(uint32_t worker, uint32_t step, void (*visit)(void *ctx, struct span span),
                         void *ctx)
{
    uint64_t size = section_bytes(share_bytes(worker));
    uint32_t section;

    if (order_section(job.order, worker, step, is_down(), &section))
        share_walk(worker, section * size, size, is_down(), visit, ctx);
}

static void walk_steps(uint32_t worker, void (*visit)(void *ctx, struct span span), void *ctx)
{
    for (uint32_t step = job.step; step < job.end; step++)
        walk_section(worker, step, visit, ctx);
}

/* What each CPU does of an element: its share, in step with the others, see sweep/order.h. */
static void sweep_steps(void *ctx, uint32_t cpu)
{
    struct sweeper sweeper;

    sweeper_make(cpu, &sweeper);
    for (uint32_t step = job.step; step < job.end; step++) {
        walk_section(share_worker(cpu), step, sweep_span, &sweeper);
        cpu_pool_barrier(cpu);
    }
}

/* Memory that may be written to for the first time is guarded just before: a few steps at once. */
static void guard_and_sweep(uint32_t n_steps)
{
    uint64_t at_once = OWN_ALIASES_BATCH_BYTES / section_bytes(share_most_bytes()); /* or 1 */

    for (job.step = 0; job.step < n_steps; job.step = job.end) {
        job.end = at_once < n_steps - job.step ? job.step + (uint32_t)at_once : n_steps;
        job.end += job.end == job.step;
        own_aliases_guard(walk_steps);
        fault_emit_own_aliases(job.place.pass);
        if (!lost_cpus_any())
            cpu_pool_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_steps, NULL);
        if (stop_is_requested() || lost_cpus_any())
            return;
    }
    own_aliases_guarded_all();
}

static bool writes(const struct march_element *element)
{
    for (uint32_t i = 0; i < element->n_ops; i++) {
        if (element->op[i].write)
            return true;
    }
    return false;
}

static void run(void)
{
    if (!own_aliases_are_guarded()) {
        guard_and_sweep(order_steps(job.order));
        return;
    }
    job.step = 0;
    job.end = order_steps(job.order);
    cpu_pool_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_steps, NULL);
}

void element_run(const struct march_element *element, const struct data *data,
                 struct test_place place)
{
    job.element = element;
    job.data = data;
    job.place = place;
    job.order = (struct order){
        .n_workers = (uint32_t)plan.n_workers,
        .round = place.round,
        .n_rounds = place.n_rounds,
        .turn = place.turn,
        .n_turns = place.n_turns,
    };
    foreign_begin_element(&foreign, tsc_elapsed_us());
    run();
    foreign_end_element(&foreign, writes(element), tsc_elapsed_us());
}
