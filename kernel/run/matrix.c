#include "run/matrix.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "bandwidth/cache_info.h"
#include "bandwidth/plan.h"
#include "bandwidth/stats.h"
#include "bandwidth/stream.h"
#include "firmware/madt.h"
#include "run/crew.h"
#include "run/events.h"
#include "run/machine.h"
#include "run/plan.h"
#include "run/watch.h"

#define RUN_US 15000 /* one run lasts about so long, and always one whole array */

/* The CPUs that measure together, and what they do: written by the boot CPU between runs. */
static struct measurement {
    const struct stream_ops *ops;
    enum stream_op op;
    uint64_t phys, bytes; /* the array; each CPU works on its part */
    uint32_t iterations;
    const uint32_t *cpus;
    uint32_t n_cpus;
    _Atomic uint32_t ready; /* CPUs that wait for the others to begin */
    _Atomic uint64_t began, ended;
} m;

static void atomic_min(_Atomic uint64_t *to, uint64_t value)
{
    uint64_t old = atomic_load(to);

    while (value < old && !atomic_compare_exchange_weak(to, &old, value))
        ;
}

static void atomic_max(_Atomic uint64_t *to, uint64_t value)
{
    uint64_t old = atomic_load(to);

    while (value > old && !atomic_compare_exchange_weak(to, &old, value))
        ;
}

static void stream_part(void *ctx, uint32_t cpu)
{
    struct plan_part part;
    struct stream_arrays arrays = { 0 };
    uint32_t i = 0;

    while (m.cpus[i] != cpu)
        i++;
    part = plan_part(m.bytes, m.n_cpus, i);
    arrays.a = direct(m.phys + part.offset);

    atomic_fetch_add(&m.ready, 1);
    while (atomic_load(&m.ready) < m.n_cpus)
        cpu_relax();
    atomic_min(&m.began, tsc_now());
    for (i = 0; i < m.iterations; i++)
        stream_run(m.ops, m.op, &arrays, part.bytes);
    atomic_max(&m.ended, tsc_now());
}

/* One run; returns the TSC ticks from the first CPU's start to the last one's end. */
static uint64_t run_once(uint32_t iterations)
{
    m.iterations = iterations;
    atomic_store(&m.ready, 0);
    atomic_store(&m.began, UINT64_MAX);
    atomic_store(&m.ended, 0);
    crew_run(m.cpus, m.n_cpus, stream_part, NULL);
    return atomic_load(&m.ended) - atomic_load(&m.began);
}

static double mb_s(uint64_t ticks)
{
    double bytes = (double)stream_bytes(m.op, m.bytes) * m.iterations;

    return ticks ? bytes / 1e6 * (double)tsc_hz() / (double)ticks : 0;
}

static struct event_stats measure(enum stream_op op, uint32_t runs)
{
    struct stats s = { 0 };
    uint32_t iterations;

    m.op = op;
    iterations = plan_iterations(run_once(1), tsc_from_us(RUN_US)); /* and it warms up */
    for (uint32_t i = 0; i < runs && !watch_is_stopped(); i++)
        stats_add(&s, mb_s(run_once(iterations)));
    return (struct event_stats){ s.mean, stats_stddev(&s), s.min, s.max };
}

/* The longest piece of tested memory of a node. */
static struct span largest_piece(uint32_t node)
{
    const struct node *n = &machine.nodes.node[node];
    struct span best = { 0 };

    for (size_t p = 0; p < plan.pieces.n; p++) {
        for (size_t i = 0; i < n->n_spans && !plan.pieces.piece[p].why; i++) {
            struct span s =
                span_intersect(plan.pieces.piece[p].span, machine.nodes.span[n->first_span + i]);

            if (s.size > best.size)
                best = s;
        }
    }
    return best;
}

static uint32_t cpus_of_node(uint32_t node, uint32_t *ret_cpus)
{
    uint32_t n = 0;

    for (size_t i = 0; i < plan.n_workers; i++) {
        if (plan.workers[i].node == node)
            ret_cpus[n++] = plan.workers[i].cpu;
    }
    return n;
}

static void run_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    struct cpuid_regs r = cpuid(leaf, subleaf);

    regs[0] = r.eax;
    regs[1] = r.ebx;
    regs[2] = r.ecx;
    regs[3] = r.edx;
}

/* What the caches of these CPUs may hold of an array. */
static uint64_t cache_bytes(const uint32_t *cpus, uint32_t n, uint32_t *apic_ids)
{
    const struct cache *last;
    struct cache_info info;

    if (cache_info_read(run_cpuid, NULL, &info) != STATUS_OK)
        return 0;
    last = cache_last_level(&info);
    for (uint32_t i = 0; i < n; i++)
        apic_ids[i] = machine.cpus[cpus[i]]->apic_id;
    return last ? cache_total_bytes(last, apic_ids, n) : 0;
}

static void measure_pair(uint32_t cpu_node, uint32_t mem_node, uint64_t caches, uint32_t runs)
{
    static const enum stream_op ops[] = { STREAM_READ, STREAM_WRITE };
    struct span piece = largest_piece(mem_node);

    m.phys = align_up(piece.base, LINE_SIZE);
    m.bytes = plan_array_bytes(caches, piece.size, 1);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]) && m.bytes && !watch_is_stopped(); i++) {
        events_send(&(struct event){
            .type = EVENT_BANDWIDTH,
            .bandwidth = {
                .cpu_node = machine.nodes.node[cpu_node].domain,
                .mem_node = machine.nodes.node[mem_node].domain,
                .op = stream_op_name(ops[i]),
                .threads = m.n_cpus,
                .runs = runs,
                .mb_s = measure(ops[i], runs),
            },
        });
    }
}

void matrix_measure(uint32_t runs)
{
    static uint32_t cpus[MADT_CPUS_MAX + 1], apic_ids[MADT_CPUS_MAX + 1];

    watch_phase("bandwidth", 0, "", 0, 0);
    m.ops = stream_ops_choose(machine.cpu.avx2);
    m.cpus = cpus;
    for (uint32_t from = 0; from < machine.nodes.n_nodes; from++) {
        uint64_t caches;

        m.n_cpus = cpus_of_node(from, cpus);
        if (!m.n_cpus)
            continue;
        caches = cache_bytes(cpus, m.n_cpus, apic_ids);
        for (uint32_t to = 0; to < machine.nodes.n_nodes && !watch_is_stopped(); to++)
            measure_pair(from, to, caches, runs);
    }
}
