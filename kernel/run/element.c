#include "run/element.h"

#include "run/crew.h"
#include "run/machine.h"
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
} job;

struct sweeper {
    struct sweep sweep;
    uint32_t cpu;
};

/* A part of memory, slice by slice, in the element's direction. */
static void sweep_span(void *ctx, struct span s)
{
    const struct sweeper *sweeper = ctx;

    while (s.size && !watch_is_stopped() && !crew_is_broken_off()) {
        struct span slice = sweep_next_slice(&s, job.element->kind == MARCH_DOWN);

        sweep_element(&sweeper->sweep, job.element, job.data, share_slice(slice));
        crew_beat(sweeper->cpu);
        watch_swept(sweeper->cpu, slice.size * job.element->n_ops);
        if (sweeper->cpu == 0)
            watch_poll();
    }
}

/* What each CPU does of an element: its share, in step with the others, see sweep/order.h. */
static void sweep_share(void *ctx, uint32_t cpu)
{
    struct reporter reporter = { job.place, job.data, cpu };
    struct order order = {
        .n_workers = (uint32_t)plan.n_workers,
        .round = job.place.round,
        .n_rounds = job.place.n_rounds,
    };
    struct sweeper sweeper = {
        .sweep = {
            .ops = selection.ops,
            .has_clflushopt = machine.cpu.clflushopt,
            .lanes = selection.lanes ? order_lanes(order) : ORDER_ONE_LANE,
            .faults = reporter_faults(&reporter),
        },
        .cpu = cpu,
    };
    uint32_t worker = share_worker(cpu);
    uint64_t size = align_up(share_bytes(worker) / ORDER_SECTIONS + 1, LINE_SIZE);
    bool down = job.element->kind == MARCH_DOWN;

    for (uint32_t step = 0; step < order_steps(order); step++) {
        uint32_t section;

        if (order_section(order, worker, step, down, &section))
            share_walk(worker, section * size, size, down, sweep_span, &sweeper);
        crew_barrier(cpu);
    }
}

void element_run(const struct march_element *element, const struct data *data,
                 struct test_place place)
{
    job.element = element;
    job.data = data;
    job.place = place;
    crew_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_share, NULL);
}
