#include "run/element.h"

#include "run/crew.h"
#include "run/lost.h"
#include "run/machine.h"
#include "run/own_aliases.h"
#include "run/plan.h"
#include "run/selection.h"
#include "run/share.h"
#include "run/watch.h"
#include "sweep/engine.h"

/* The element at hand: written by the boot CPU before each crew_run. */
static struct {
    const struct march_element *element;
    const struct data *data;
    struct test_place place;
    struct order order;
    uint32_t step;         /* of the order, and of its section from this byte on so many: */
    uint64_t first, bytes; /* what is done at a time while there is more to guard */
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

    while (s.size && !watch_is_stopped() && !crew_is_broken_off()) {
        struct span slice = sweep_next_slice(&s, is_down());

        sweep_element(&sweeper->sweep, job.element, job.data, share_slice(slice));
        reporter_settle(&sweeper->reporter);
        crew_beat(cpu);
        watch_swept(cpu, slice.size * job.element->n_ops);
        if (cpu == 0)
            watch_poll();
    }
}

static void sweeper_make(uint32_t cpu, struct sweeper *ret)
{
    ret->reporter = reporter_make(job.place, job.data, cpu);
    ret->sweep = (struct sweep){
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .lanes = selection.lanes ? order_lanes(job.order) : ORDER_ONE_LANE,
        .faults = reporter_faults(&ret->reporter),
    };
}

/* Of a worker's share. */
static uint64_t section_bytes(uint64_t share)
{
    return align_up(share / ORDER_SECTIONS + 1, LINE_SIZE);
}

/* What a worker does of the bytes first to first + bytes - 1 of its section of a step. */
static void walk_section(uint32_t worker, uint32_t step, uint64_t first, uint64_t bytes,
                         void (*visit)(void *ctx, struct span span), void *ctx)
{
    uint64_t size = section_bytes(share_bytes(worker)), left = first < size ? size - first : 0;
    uint32_t section;

    if (order_section(job.order, worker, step, is_down(), &section))
        share_walk(worker, section * size + first, bytes < left ? bytes : left, is_down(), visit,
                   ctx);
}

/* What each CPU does of an element: its share, in step with the others, see sweep/order.h. */
static void sweep_share(void *ctx, uint32_t cpu)
{
    struct sweeper sweeper;

    sweeper_make(cpu, &sweeper);
    for (uint32_t step = 0; step < order_steps(job.order); step++) {
        walk_section(share_worker(cpu), step, 0, UINT64_MAX, sweep_span, &sweeper);
        crew_barrier(cpu);
    }
}

static void walk_batch(uint32_t worker, void (*visit)(void *ctx, struct span span), void *ctx)
{
    walk_section(worker, job.step, job.first, job.bytes, visit, ctx);
}

static void sweep_batch(void *ctx, uint32_t cpu)
{
    struct sweeper sweeper;

    sweeper_make(cpu, &sweeper);
    walk_batch(share_worker(cpu), sweep_span, &sweeper);
}

/* Memory that may be written to for the first time: guarded batch by batch, in the same order. */
static void sweep_and_guard(void)
{
    uint64_t most = section_bytes(share_most_bytes());
    uint64_t n_batches = (most + OWN_ALIASES_BATCH_BYTES - 1) / OWN_ALIASES_BATCH_BYTES;

    job.bytes = OWN_ALIASES_BATCH_BYTES;
    for (job.step = 0; job.step < order_steps(job.order); job.step++) {
        for (uint64_t i = 0; i < n_batches; i++) {
            job.first = (is_down() ? n_batches - 1 - i : i) * job.bytes;
            own_aliases_guard(walk_batch);
            if (!lost_any())
                crew_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_batch, NULL);
            if (watch_is_stopped() || lost_any())
                return;
        }
    }
    own_aliases_guarded_all();
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
    };
    if (own_aliases_are_guarded())
        crew_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_share, NULL);
    else
        sweep_and_guard();
}
