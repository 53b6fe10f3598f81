// SPDX-License-Identifier: MIT
#include "testing/element.h"

#include "arch/cpu.h"
#include "acpi/madt.h"
#include "arch/tsc.h"
#include "cpus/cpu_clocks.h"
#include "cpus/cpu_pool.h"
#include "cpus/steps.h"
#include "faults/cpu_evidence.h"
#include "faults/fault_emit.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "memory/arena.h"
#include "mce/mca.h"
#include "plan/lost_cpus.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/engine.h"
#include "sweep/march_part.h"
#include "sweep/order.h"
#include "testing/translations.h"

#define PARTS_MAX 2

#define SHIFT_MAX 16 /* CPUs of a group */

/* With fewer sections for each worker, workers that begin late would cost too much. */
#define SECTIONS_A_WORKER 8

/* An element that all CPUs do. */
struct job {
    struct run *run;
    const struct march_element *element;
    const struct data *data;
    struct test_place place;
    struct order order;
    uint32_t step, end; /* the steps of the order that are done now */
    uint32_t ahead;
    uint32_t shift; /* how many places each CPU moves on, in its group */
};

static struct step_queue *queues; /* by part: those of worker 0 first */

static struct translations translations[MADT_CPUS_MAX + 1]; /* by CPU */

_Static_assert(ORDER_AHEAD_MAX <= BARRIER_AHEAD_MAX, "steps ahead");

_Static_assert(sizeof(struct job) <= OWN_ALIASES_JOB_MAX, "guarded before it is swept");

struct sweeper {
    const struct job *job;
    struct sweep sweep;
    struct pulse_gate gate; /* of a test in pulses */
    struct reporter reporter;
};

void element_prepare(uint32_t n_cpus)
{
    queues = arena_alloc((uint64_t)n_cpus * PARTS_MAX * sizeof(*queues));
}

static bool is_down(const struct job *job)
{
    return job->element->kind == MARCH_DOWN;
}

/* A part of memory, slice by slice, in the element's direction. */
static void sweep_span(void *ctx, struct span s)
{
    struct sweeper *sweeper = ctx;
    const struct job *job = sweeper->job;
    uint32_t cpu = sweeper->reporter.cpu;

    while (s.size && !stop_is_requested() && !cpu_pool_is_aborted()) {
        struct span slice = sweep_next_slice(&s, is_down(job), SWEEP_SLICE_BYTES);

        cpu_pool_pass(cpu);
        mca_sweep_begin(slice);
        sweep_element(&sweeper->sweep, job->element, job->data, share_slice(slice));
        mca_sweep_end(slice);
        if (translations_swept(&translations[cpu], slice.size))
            cr3_write(cr3_read());
        reporter_flush(&sweeper->reporter);
        cpu_pool_heartbeat(cpu);
        progress_swept(cpu, slice.size * job->element->n_ops);
        cpu_evidence_swept(cpu, slice, job->element->n_ops, march_element_writes(job->element));
        ram_map_swept(slice);
    }
}

static uint64_t shared_clock(void *ctx)
{
    const struct reporter *r = ctx;

    return cpu_clocks_now(r->cpu);
}

static void sweeper_make(const struct job *job, uint32_t cpu, struct sweeper *ret)
{
    const struct selection *selection = &job->run->selection;

    ret->job = job;
    ret->reporter = reporter_make(job->run, job->place, job->data, cpu);
    ret->sweep = reporter_sweep(&ret->reporter);
    ret->sweep.lanes = selection_order(selection, order_lanes(job->order));
    ret->gate = (struct pulse_gate){ &selection->pulses, shared_clock, &ret->reporter, { 0 } };
    ret->sweep.gate = selection->tests.test[job->place.test].in_pulses ? &ret->gate : NULL;
}

static uint64_t section_bytes(const struct job *job, uint64_t share)
{
    return align_up(share / ((uint64_t)job->place.n_parts * job->order.n_sections) + 1, LINE_SIZE);
}

/*
 * What is done in a step of a part. If workers begin late, each one later than the one before,
 * first parts come before second ones, so that all CPUs soon have something to do.
 */
static void walk_section(const struct job *job, uint32_t part, uint32_t step,
                         void (*visit)(void *ctx, struct span span), void *ctx)
{
    uint32_t worker = part / job->place.n_parts, nth = part % job->place.n_parts, section;
    uint32_t number = nth * (uint32_t)job->run->plan.n_workers + worker;
    uint64_t size = section_bytes(job, job->run->shares.bytes[worker]);
    struct share_piece piece = { worker, 0, size, is_down(job) };

    if (!order_section(job->order, number, step, piece.down, &section))
        return;
    piece.first = (nth * (uint64_t)job->order.n_sections + section) * size;
    share_walk(&job->run->shares, piece, visit, ctx);
}

static void walk_steps(const void *ctx, uint32_t worker, void (*visit)(void *ctx, struct span span),
                       void *visit_ctx)
{
    const struct job *job = ctx;

    for (uint32_t step = job->step; step < job->end; step++) {
        for (uint32_t i = 0; i < job->place.n_parts; i++)
            walk_section(job, worker * job->place.n_parts + i, step, visit, visit_ctx);
    }
}

/* Does a part's next step, if it is before `upto`. */
static bool take_step(struct sweeper *sweeper, uint32_t part, uint32_t upto)
{
    const struct job *job = sweeper->job;
    uint32_t cpu = sweeper->reporter.cpu, step;
    bool is_last;

    if (!step_queue_claim(&queues[part], (uint32_t)min_u64(job->end, upto), &step))
        return false;
    walk_section(job, part, step, sweep_span, sweeper);
    is_last = cpu_pool_count_step(job->run->plan.worker_cpus[part / job->place.n_parts],
                                  step - job->step);
    step_queue_end(&queues[part], step);
    if (is_last)
        cpu_pool_release_step(cpu, step - job->step);
    return true;
}

/* The least advanced of a worker's parts, if it can be taken. */
static bool take_step_of(struct sweeper *sweeper, uint32_t worker, uint32_t done)
{
    const struct job *job = sweeper->job;
    uint32_t first = worker * job->place.n_parts, end = first + job->place.n_parts;

    for (uint32_t upto = done + 1; upto <= done + job->ahead; upto++) {
        for (uint32_t part = first; part < end; part++) {
            if (take_step(sweeper, part, upto))
                return true;
        }
    }
    return false;
}

/*
 * The CPU's own work first, then that of others, which may be slow or busy. Once there are faults,
 * each round has another CPU's work first, so that each part of memory is read by many: then a
 * fault of a CPU is not one of its share.
 */
static bool take_any_step(struct sweeper *sweeper, uint32_t done)
{
    uint32_t cpu = sweeper->reporter.cpu, other;

    for (uint32_t i = 0; i < sweeper->job->shift; i++)
        cpu = cpu_pool_next_of_group(cpu);
    other = cpu;
    do {
        if (take_step_of(sweeper, plan_worker(&sweeper->job->run->plan, other), done))
            return true;
        other = cpu_pool_next_of_group(other);
    } while (other != cpu);
    return false;
}

/* What each CPU does of an element, in step with the others: see sweep/order.h. */
static void sweep_steps(void *ctx, uint32_t cpu)
{
    const struct job *job = ctx;
    struct sweeper sweeper;
    uint32_t done;

    sweeper_make(job, cpu, &sweeper);
    while ((done = job->step + cpu_pool_steps_done(cpu)) < job->end && !cpu_pool_is_aborted()) {
        if (!take_any_step(&sweeper, done))
            cpu_pool_wait_step(cpu, done - job->step);
        if (cpu == 0)
            cpu_poll(&job->run->poll);
    }
}

static void run_steps(struct job *job)
{
    const struct plan *plan = &job->run->plan;

    for (uint32_t part = 0; part < job->order.n_workers; part++)
        step_queue_begin(&queues[part], job->step);
    cpu_pool_run_steps(plan->worker_cpus, (uint32_t)plan->n_workers, job->place.n_parts,
                       (struct cpu_pool_job){ sweep_steps, job, &job->run->poll });
}

/* Memory is guarded just before it may be written for the first time, a few steps at once. */
static void guard_and_sweep(struct job *job)
{
    uint32_t n_steps = order_steps(job->order);
    uint64_t step_bytes =
        section_bytes(job, share_max_bytes(&job->run->shares)) * job->place.n_parts;
    uint64_t at_once = OWN_ALIASES_BATCH_BYTES / step_bytes; /* or 1 */

    for (job->step = 0; job->step < n_steps; job->step = job->end) {
        job->end = at_once < n_steps - job->step ? job->step + (uint32_t)at_once : n_steps;
        job->end += job->end == job->step;
        own_aliases_guard(&job->run->shares,
                          (struct own_aliases_part){ walk_steps, job, sizeof(*job) });
        fault_emit_own_aliases(job->run, job->place.pass);
        if (lost_cpus_any() || aliases_hold_any(&job->run->found.aliases))
            return;
        run_steps(job);
        if (stop_is_requested() || lost_cpus_any())
            return;
    }
    own_aliases_guarded_all();
}

static void do_job(struct job *job)
{
    if (!own_aliases_are_guarded()) {
        guard_and_sweep(job);
        return;
    }
    job->step = 0;
    job->end = order_steps(job->order);
    run_steps(job);
}

static uint32_t count_sections(const struct run *run, uint32_t test, uint32_t n_parts)
{
    const struct selection *selection = &run->selection;
    uint64_t part = share_max_bytes(&run->shares) / n_parts;
    bool has_lanes = selection->lanes && selection->has_lanes[test];

    return order_sections(part, (uint32_t)run->plan.n_workers, has_lanes,
                          selection->orders_all_pairs[test]);
}

void element_cut_shares(const struct run *run, struct test_place *place)
{
    size_t n_workers = run->plan.n_workers;
    bool cut = n_workers > 1 &&
               count_sections(run, place->test, PARTS_MAX) >= SECTIONS_A_WORKER * n_workers;

    place->n_parts = cut ? PARTS_MAX : 1;
    place->n_sections = count_sections(run, place->test, place->n_parts);
}

void element_run(struct run *run, const struct march_element *element, const struct data *data,
                 struct test_place place)
{
    struct external *external = &run->found.external;
    struct job job = {
        .run = run,
        .element = element,
        .data = data,
        .place = place,
        .order = {
            .n_workers = (uint32_t)run->plan.n_workers * place.n_parts,
            .round = place.round,
            .n_rounds = place.n_rounds,
            .leg = place.any_order ? 0 : place.leg,
            .n_legs = place.n_legs,
            .n_sections = place.n_sections,
        },
    };

    job.ahead = order_ahead(job.order);
    if (fault_log_faults(&run->found.log))
        job.shift = (place.pass + place.round) % SHIFT_MAX;
    external_begin_element(external, tsc_elapsed_us());
    do_job(&job);
    external_end_element(external, march_element_writes(element), tsc_elapsed_us());
}
