#include "run/element.h"

#include "arch/paging.h"
#include "firmware/madt.h"
#include "run/crew.h"
#include "run/machine.h"
#include "run/plan.h"
#include "run/selection.h"
#include "run/watch.h"
#include "sweep/engine.h"

/* A CPU looks up after so much: time for the boot CPU's screen, and for all to stop when asked. */
#define CHUNK_BYTES (UINT64_C(1) << 20)

/* In so many steps all CPUs go through their shares together. */
#define STEPS     64
#define LATE_BITS 6

/* The element at hand: written by the boot CPU before each crew_run. */
static struct {
    const struct march_element *element;
    const struct data *data;
    struct element_place place;
} job;

static uint16_t worker_of_cpu[MADT_CPUS_MAX + 1];
static uint64_t worker_bytes[MADT_CPUS_MAX + 1]; /* of its share */

struct reporter {
    uint32_t cpu;
};

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct reporter *r = ctx;

    fault_log_add(&fault_log,
                  &(struct fault){
                      .addr = phys,
                      .expected = expected,
                      .found = found,
                      .test = job.place.test,
                      .pass = job.place.pass,
                      .cpu = r->cpu,
                      .node = machine.nodes.node[nodes_of_address(&machine.nodes, phys)].domain,
                  });
}

static void sweep_chunk(const struct sweep *sweep, uint32_t cpu, struct span chunk)
{
    sweep_element(sweep, job.element, job.data,
                  (struct slice){ direct(chunk.base), chunk.base, chunk.size / LINE_SIZE });
    watch_swept(cpu, chunk.size * job.element->n_ops);
    if (cpu == 0)
        watch_poll();
}

/* A part of memory, chunk by chunk, in the element's direction. */
static void sweep_span(const struct sweep *sweep, uint32_t cpu, struct span s)
{
    while (s.size && !watch_is_stopped()) {
        struct span chunk = { s.base, s.size < CHUNK_BYTES ? s.size : CHUNK_BYTES };

        if (job.element->kind == MARCH_DOWN)
            chunk.base = span_end(s) - chunk.size;
        else
            s.base += chunk.size;
        s.size -= chunk.size;
        sweep_chunk(sweep, cpu, chunk);
    }
}

/* Bytes first to first + size - 1 of a worker's share, its parts counted one behind the other. */
static void sweep_section(const struct sweep *sweep, uint32_t cpu, size_t worker, uint64_t first,
                          uint64_t size)
{
    size_t begin = plan.first[worker], n = plan.first[worker + 1] - begin;
    bool down = job.element->kind == MARCH_DOWN;
    uint64_t offset = down ? worker_bytes[worker] : 0;

    for (size_t i = 0; i < n; i++) {
        struct span part = plan.part[begin + (down ? n - 1 - i : i)].span;
        uint64_t at = down ? offset - part.size : offset;
        struct span s =
            span_intersect((struct span){ at, part.size }, (struct span){ first, size });

        s.base += part.base - at;
        sweep_span(sweep, cpu, s);
        offset = down ? at : at + part.size;
    }
}

/*
 * What each CPU does of an element: its share, in step with the others. The march tests' proofs
 * need that up and down are each other's reverse, also between two CPUs' shares. So every share is
 * cut into STEPS sections, and no CPU begins one before all have done the one before.
 *
 * That leaves unordered what two CPUs do in the same step. So in the rounds of a test after the
 * first, half of the CPUs begin a step later: those with bit 0 of their number set in the second
 * round, bit 1 in the third, and so on. Any two sections of any two of 64 CPUs are so ordered in
 * some round.
 */
static void sweep_share(void *ctx, uint32_t cpu)
{
    struct reporter reporter = { cpu };
    struct sweep sweep = {
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .faults = { report, &reporter },
    };
    size_t worker = worker_of_cpu[cpu];
    uint32_t late = job.place.round ? worker >> (job.place.round - 1) % LATE_BITS & 1 : 0;
    uint64_t size = align_up(worker_bytes[worker] / STEPS + 1, LINE_SIZE);

    for (uint32_t step = 0; step <= STEPS; step++) {
        uint32_t now = job.element->kind == MARCH_DOWN ? STEPS - step : step;

        if (now >= late && now - late < STEPS)
            sweep_section(&sweep, cpu, worker, (now - late) * size, size);
        crew_barrier(cpu);
    }
}

void element_prepare(void)
{
    for (uint32_t i = 0; i < plan.n_workers; i++) {
        worker_of_cpu[plan.worker_cpus[i]] = (uint16_t)i;
        for (size_t p = plan.first[i]; p < plan.first[i + 1]; p++)
            worker_bytes[i] += plan.part[p].span.size;
    }
}

void element_run(const struct march_element *element, const struct data *data,
                 struct element_place place)
{
    job.element = element;
    job.data = data;
    job.place = place;
    crew_run(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_share, NULL);
}
