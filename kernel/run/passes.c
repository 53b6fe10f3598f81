#include "run/passes.h"

#include "arch/paging.h"
#include "arch/tsc.h"
#include "firmware/madt.h"
#include "run/crew.h"
#include "run/events.h"
#include "run/machine.h"
#include "run/plan.h"
#include "run/selection.h"
#include "run/watch.h"
#include "sweep/engine.h"

/* A CPU looks up after so much: time for the boot CPU's screen, and for all to stop when asked. */
#define CHUNK_BYTES (UINT64_C(1) << 20)

#define PAUSE_STEP_US 1000

static uint32_t n_passes_done, n_tests_done;
static uint64_t seed;

/* The element at hand: written by the boot CPU before each crew_run. */
static struct {
    const struct march_element *element;
    struct data data;
    uint32_t test, pass;
} job;

static uint16_t worker_of_cpu[MADT_CPUS_MAX + 1];

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
                      .test = job.test,
                      .pass = job.pass,
                      .cpu = r->cpu,
                      .node = machine.nodes.node[nodes_of_address(&machine.nodes, phys)].domain,
                  });
}

static void sweep_chunk(const struct sweep *sweep, uint32_t cpu, struct span chunk)
{
    sweep_element(sweep, job.element, &job.data,
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

/* What each CPU does of an element: its whole share. */
static void sweep_share(void *ctx, uint32_t cpu)
{
    struct reporter reporter = { cpu };
    struct sweep sweep = {
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .faults = { report, &reporter },
    };
    size_t worker = worker_of_cpu[cpu];
    size_t first = plan.first[worker], n = plan.first[worker + 1] - first;

    for (size_t i = 0; i < n; i++) {
        size_t at = job.element->kind == MARCH_DOWN ? n - 1 - i : i;

        sweep_span(&sweep, cpu, plan.part[first + at].span);
    }
}

static void pause_ms(uint32_t ms)
{
    uint64_t end = tsc_elapsed_us() + (uint64_t)ms * 1000;

    while (tsc_elapsed_us() < end && !watch_is_stopped()) {
        watch_poll();
        tsc_wait_us(PAUSE_STEP_US);
    }
}

static void run_march(const struct march *march)
{
    for (uint32_t i = 0; i < march->n_elements && !watch_is_stopped(); i++) {
        job.element = &march->element[i];
        if (job.element->kind == MARCH_PAUSE)
            pause_ms(job.element->pause_ms);
        else
            crew_run(plan.worker_cpus, (uint32_t)plan.n_workers, sweep_share, NULL);
    }
}

void passes_prepare(uint64_t first_seed)
{
    seed = first_seed;
    for (uint32_t i = 0; i < plan.n_workers; i++)
        worker_of_cpu[plan.worker_cpus[i]] = (uint16_t)i;
}

uint32_t passes_completed(void)
{
    return n_passes_done;
}

uint32_t passes_tests_completed(void)
{
    return n_tests_done;
}

/* One test of a pass: its march, once for each of its data. */
static void run_test(const struct test *test, uint32_t index)
{
    struct march march;
    uint64_t began = tsc_elapsed_us(), swept = watch_total_swept();
    uint64_t faults = fault_log_test_faults(&fault_log, index);

    watch_phase("test", job.pass, test->name, index, (uint32_t)selection.tests.n_tests);
    job.test = index;
    test_march(test, &march);
    for (uint32_t round = 0; round < test->rounds && !watch_is_stopped(); round++) {
        job.data = data_make(test->data, round, seed + job.pass - 1);
        run_march(&march);
    }
    n_tests_done += !watch_is_stopped();
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = job.pass,
            .test = test->name,
            .seconds = (double)(tsc_elapsed_us() - began) / 1e6,
            .swept_bytes = watch_total_swept() - swept,
            .sweeps = test_sweeps(test),
            .faults = fault_log_test_faults(&fault_log, index) - faults,
        },
    });
}

static uint64_t sweeps_of_pass(void)
{
    uint64_t sweeps = 0;

    for (size_t i = 0; i < selection.tests.n_tests; i++)
        sweeps += test_sweeps(&selection.tests.test[i]);
    return sweeps;
}

void passes_run(uint32_t passes)
{
    uint32_t n_tests = (uint32_t)selection.tests.n_tests;

    while ((passes == 0 || n_passes_done < passes) && !watch_is_stopped()) {
        job.pass = n_passes_done + 1;
        watch_pass(sweeps_of_pass() * plan.tested_bytes);
        for (uint32_t i = 0; i < n_tests && !watch_is_stopped(); i++)
            run_test(&selection.tests.test[i], i);
        n_passes_done += !watch_is_stopped();
    }
}
