#include "run/passes.h"

#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "firmware/madt.h"
#include "run/crew.h"
#include "run/events.h"
#include "run/machine.h"
#include "run/notices.h"
#include "run/plan.h"
#include "run/watch.h"
#include "sweep/engine.h"
#include "sweep/tests.h"

/* A CPU looks up after so much: time for the boot CPU's screen, and for all to stop when asked. */
#define CHUNK_BYTES (UINT64_C(1) << 20)

/* What is measured to choose line operations: a little of the tested memory, so often. */
#define TRIAL_BYTES  (UINT64_C(1) << 20)
#define TRIAL_ROUNDS 3

#define PAUSE_STEP_US 1000

static struct test_list list;
static const struct line_ops *ops;
static uint32_t n_passes_done, n_tests_done;

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
        .ops = ops,
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

/* One test of a pass: its march, once for each of its data. */
static void run_test(const struct sweep_test *test, uint32_t index)
{
    uint64_t began = tsc_elapsed_us(), swept = watch_total_swept();
    uint64_t faults = fault_log_test_faults(&fault_log, index);

    watch_phase("test", job.pass, test->name, index, list.n_tests);
    job.test = index;
    for (uint32_t round = 0; round < test->rounds && !watch_is_stopped(); round++) {
        job.data = data_make(test->data, round, seed);
        run_march(&test->march);
    }
    n_tests_done += !watch_is_stopped();
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = job.pass,
            .test = test->name,
            .seconds = (double)(tsc_elapsed_us() - began) / 1e6,
            .swept_bytes = watch_total_swept() - swept,
            .sweeps = march_sweeps(&test->march) * test->rounds,
            .faults = fault_log_test_faults(&fault_log, index) - faults,
        },
    });
}

static uint64_t sweeps_of_pass(void)
{
    uint64_t sweeps = 0;

    for (uint32_t i = 0; i < list.n_tests; i++)
        sweeps += march_sweeps(&list.test[i].march) * list.test[i].rounds;
    return sweeps;
}

void passes_run(uint32_t passes)
{
    while ((passes == 0 || n_passes_done < passes) && !watch_is_stopped()) {
        job.pass = n_passes_done + 1;
        watch_pass(sweeps_of_pass() * plan.tested_bytes);
        for (uint32_t i = 0; i < list.n_tests && !watch_is_stopped(); i++)
            run_test(&list.test[i], i);
        n_passes_done += !watch_is_stopped();
    }
}
