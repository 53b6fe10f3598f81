// SPDX-License-Identifier: MIT
#include "measure/bandwidth.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpudata/prefetch.h"
#include "cpus/cpu_pool.h"
#include "measure/measure.h"
#include "measure/parts.h"
#include "calibration/selection.h"
#include "event/notices.h"
#include "event/stop.h"
#include "findings/findings.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/role.h"
#include "measure/sites.h"
#include "plan/lost_cpus.h"
#include "progress/progress.h"
#include "saver/saving.h"

/* The node matrix: the MB/s that the CPUs of each node reach with each node's memory. */

static const enum stream_op quick_ops[] = { STREAM_READ, STREAM_WRITE };
static const enum stream_op full_ops[] = {
    STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD,
};

/* CPUs of a node and memory of one. */
struct pair {
    uint32_t cpu_node, mem_node;
    const uint32_t *cpus;
    uint32_t n_cpus;
    struct arrays arrays;
};

/* Pairs that are compared. */
struct pairs {
    const struct bench *bench;
    enum stream_op op;
    bool alone; /* by one CPU of each node, and only of those that have others */
    uint32_t n;
    struct pair pair[COMPARED_MAX];
};

_Static_assert(NODES_MAX <= COMPARED_MAX, "a node's row is compared");

static struct spread read_mb_s[NODES_MAX][NODES_MAX];
static uint64_t array_bytes[NODES_MAX];

static void take_pair(void *ctx, uint32_t which)
{
    const struct pairs *all = ctx;
    const struct pair *p = &all->pair[which];

    roles_clear();
    for (uint32_t i = 0; i < p->n_cpus; i++)
        role_add_stream((struct role_part){ p->cpus[i], p->n_cpus, i }, all->op, &p->arrays);
}

static void keep_read(const struct pair *p, const struct event_stats *s)
{
    struct spread *kept = &read_mb_s[p->cpu_node][p->mem_node];

    if (!kept->n)
        *kept = (struct spread){ s->runs, (float)s->mean, (float)s->stddev };
    if (p->arrays.bytes > array_bytes[p->mem_node])
        array_bytes[p->mem_node] = p->arrays.bytes;
}

static void emit(const struct pair *p, enum stream_op op, const struct event_stats *s)
{
    if (!unmeasured_has_runs(s, "bandwidth", p->cpu_node, p->mem_node))
        return;
    if (op == STREAM_READ)
        keep_read(p, s);
    events_send(&(struct event){
        .type = EVENT_BANDWIDTH,
        .bandwidth = {
            .cpu_node = sites_domain(p->cpu_node),
            .mem_node = sites_domain(p->mem_node),
            .op = stream_op_name(op),
            .threads = p->n_cpus,
            .mb_s = *s,
            .how = roles_how(p->arrays.in_caches),
        },
    });
}

/* No pair is left. */
static void measure_pairs(struct pairs *all)
{
    static struct measured found[COMPARED_MAX];

    measure_in_turns(
        all->bench, &(struct comparison){ MEASURE_MB_S, MEASURE_STREAM_US, all->n, take_pair, all },
        found);
    for (uint32_t i = 0; i < all->n; i++)
        emit(&all->pair[i], all->op, &found[i].value);
    all->n = 0;
}

/* The pairs of a node's CPUs with each node's memory. */
static void add_row(struct pairs *all, uint32_t from, const uint32_t *cpus, uint32_t n_cpus)
{
    uint32_t n_arrays = stream_op_arrays(all->op) == 1 ? 1 : 3; /* copy and scale use b or c */

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        struct arrays arrays =
            arrays_of_memory(all->bench, cpus, n_cpus, sites_memory(all->bench, to), n_arrays);

        if (arrays.bytes)
            all->pair[all->n++] = (struct pair){ from, to, cpus, n_cpus, arrays };
    }
}

/* As many pairs in turns as can be compared. */
static void measure_op(struct pairs *all)
{
    static uint32_t cpus[SITES_CPUS_MAX], one[NODES_MAX];
    uint32_t n_nodes = machine.nodes.n_nodes, used = 0;

    for (uint32_t from = 0; from < n_nodes; from++) {
        uint32_t *mine = cpus + used, n = sites_cpus(all->bench, from, mine);

        used += n; /* a CPU is of one node */
        if (!n || (all->alone && n == 1))
            continue;
        one[from] = sites_one_cpu(mine, n);
        if (all->n + n_nodes > COMPARED_MAX)
            measure_pairs(all);
        add_row(all, from, all->alone ? &one[from] : mine, all->alone ? 1 : n);
    }
    measure_pairs(all);
}

/*
 * Measures every pair of a node with CPUs in use and a node with tested memory, runs times each,
 * and sends a bandwidth event for each: read and write by all CPUs of the node; with `full` also
 * all operations of STREAM, and each operation by one CPU alone. The pairs are measured in turns.
 * The memory's content is lost. Ends early when the run is stopped.
 */
static void matrix_measure(const struct bench *bench, bool full)
{
    static struct pairs all;
    const enum stream_op *ops = full ? full_ops : quick_ops;
    size_t n =
        full ? sizeof(full_ops) / sizeof(full_ops[0]) : sizeof(quick_ops) / sizeof(quick_ops[0]);

    all.bench = bench;
    for (int alone = 0; alone <= (full ? 1 : 0); alone++) {
        for (size_t i = 0; i < n && !measure_is_over(); i++) {
            all.op = ops[i];
            all.alone = alone;
            measure_op(&all);
        }
    }
}

/*
 * The MB/s that all CPUs of one node read from another's memory, both indices into machine.nodes;
 * its n is 0: not measured.
 */
static struct spread matrix_read_mb_s(uint32_t cpu_node, uint32_t mem_node)
{
    return read_mb_s[cpu_node][mem_node];
}

/* The largest array that was read in a node's memory, by the node's index; 0: none was. */
static uint64_t matrix_array_bytes(uint32_t mem_node)
{
    return array_bytes[mem_node];
}

/*
 * bandwidth.prefetch=off: hardware prefetchers are off while bandwidth and latency are measured,
 * on the CPUs that have a documented register for that (cpudata/prefetch.h). A CPU that is lost
 * meanwhile puts its register back before it is parked (arch/trap.c). Boot CPU only.
 */

static void keep(void *ctx, uint32_t cpu)
{
    struct percpu *own = machine.cpus[cpu];
    uint32_t msr = prefetch_control_find(cpuid_call, NULL).msr;

    if (msr && msr_try_read(msr, &own->borrowed.value))
        own->borrowed.msr = msr;
}

static void turn_off(void *ctx, uint32_t cpu)
{
    struct percpu *own = machine.cpus[cpu];
    _Atomic uint32_t *n_off = ctx;
    uint64_t off = prefetch_control_find(cpuid_call, NULL).off, now;

    if (own->borrowed.msr && msr_try_write(own->borrowed.msr, own->borrowed.value | off) &&
        msr_try_read(own->borrowed.msr, &now) && (now & off) == off)
        atomic_fetch_add(n_off, 1);
}

static void put_back(void *ctx, uint32_t cpu)
{
    struct percpu *own = machine.cpus[cpu];

    if (own->borrowed.msr)
        msr_try_write(own->borrowed.msr, own->borrowed.value);
    own->borrowed.msr = 0;
}

/* Returns how many CPUs there are. */
static uint32_t on_all(const struct bench *bench, cpu_pool_work work, void *ctx)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    const struct plan *plan = bench->shares->plan;

    for (size_t i = 0; i < plan->n_workers; i++)
        cpus[i] = plan->workers[i].cpu;
    cpu_pool_run(cpus, (uint32_t)plan->n_workers, (struct cpu_pool_job){ work, ctx, bench->poll });
    return (uint32_t)plan->n_workers;
}

/*
 * On all chosen CPUs. Returns what records say: "off", "partly off", "not known"; a notice says why
 * it is not "off".
 */
static const char *prefetch_turn_off(const struct bench *bench)
{
    _Atomic uint32_t n_off = 0;
    uint32_t n;

    on_all(bench, keep, NULL); /* all before any is changed: siblings share a register */
    n = on_all(bench, turn_off, &n_off);
    if (n_off == n)
        return "off";
    notice(
        "bandwidth.prefetch=off: no documented register turns the hardware prefetchers of %u of %u "
        "CPUs off: they are as firmware has left them",
        n - n_off, n);
    return n_off ? "partly off" : "not known";
}

/* All registers have what they had before; nothing happens where prefetch_turn_off was not called.
 */
static void prefetch_put_back(const struct bench *bench)
{
    on_all(bench, put_back, NULL);
}

void bandwidth_prepare(const struct options *options)
{
    if (options->bandwidth != OPTION_BANDWIDTH_OFF)
        roles_prepare(machine.n_cpus);
}

/* Warns of the findings in the figures and in firmware's tables (findings/findings.h). */
static void warn_of_findings(void)
{
    static struct findings_node node[NODES_MAX];
    struct findings_input in;

    machine_findings(node, &in);
    in.read_mb_s = matrix_read_mb_s;
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        node[i].array_bytes = matrix_array_bytes(i);
    findings_measured(&in, &notices);
}

/* What bandwidth.isa= names, or the widest that all CPUs have. */
static const struct stream_ops *chosen_ops(const struct options *options)
{
    const char *name = option_isa_name(options->bandwidth_isa);
    const struct stream_ops *ops = stream_ops_choose(selection_features(), name);

    if (ops)
        return ops;
    selection_note_no_isa("bandwidth.isa", name);
    return stream_ops_choose(selection_features(), NULL);
}

/* Rows and columns that no matrix has. */
static void note_nodes(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        if (!sites_cpus(bench, n, cpus))
            unmeasured_send("all", n, SITES_NONE, "no CPU of the node is in use");
        if (!sites_memory(bench, n).size)
            unmeasured_send("all", SITES_NONE, n,
                            machine.nodes.node[n].ram_bytes
                                ? "no 1 MiB of the node's memory is tested in one piece"
                                : "the node has no memory");
    }
}

static void measure_all(const struct bench *bench, bool full)
{
    note_nodes(bench);
    cache_table_measure(bench);
    if (full) {
        latency_curve(bench);
        latency_matrix(bench);
        cache_to_cache_measure(bench);
    }
    matrix_measure(bench, full);
    if (full) {
        scaling_measure(bench);
        contention_measure(bench);
        loaded_latency_measure(bench);
        redundancy_measure(bench);
    }
}

void bandwidth_measure(struct run *run)
{
    const struct options *options = &run->options;
    const struct bench bench = { &run->shares, &run->poll, options->bandwidth_runs,
                                 options->bandwidth_ms * UINT64_C(1000) };

    if (options->bandwidth == OPTION_BANDWIDTH_OFF)
        return;
    saving_wait(run->saver, &run->poll);
    if (lost_cpus_any())
        lost_cpus_drop(&run->shares);
    roles.ops = chosen_ops(options);
    progress_phase("bandwidth", 0, "", 0, 0);
    if (options->prefetch_off)
        roles.prefetch = prefetch_turn_off(&bench);
    measure_all(&bench, options->bandwidth == OPTION_BANDWIDTH_FULL);
    prefetch_put_back(&bench);
    if (lost_cpus_any())
        notice("a CPU was lost: bandwidth and latency are not measured further");
    else if (!stop_is_requested())
        warn_of_findings();
}
