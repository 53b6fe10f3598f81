// SPDX-License-Identifier: MIT
#include "testing/hammering.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "cpudata/cpu_kind.h"
#include "cpus/cpu_pool.h"
#include "faults/rows_emit.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "rows/pair_latency.h"

#define MSR_SYSCFG       0xc0010010
#define MSR_TOP_MEM      0xc001001a
#define SYSCFG_TOP_MEM   (1u << 20) /* MtrrVarDramEn: TOP_MEM counts */
#define ZEN_FAMILY       0x17
#define MEASUREMENTS_MAX 1000000

struct finding {
    const struct cpu_poll *poll;
    uint32_t cpu;
    uint64_t began, ticks; /* by the CPU's own counter */
    struct row_question question;
    struct row_memory memory;
    struct row_work work;
    struct row_result result;
};

/*
 * What addresses above 4 GiB do without: on AMD's CPUs since Zen all between TOP_MEM and 4 GiB (AMD
 * PPR, MSRC001_001A; the papers in rows/row_map.h). Hypervisors do not have the machine's.
 */
static uint64_t address_hole(void)
{
    struct cpu_model cpu = cpu_model_read(cpuid_call, NULL);
    uint64_t top;

    if ((cpu.vendor != CPU_VENDOR_AMD && cpu.vendor != CPU_VENDOR_HYGON) ||
        cpu.family < ZEN_FAMILY || machine.cpu.hypervisor ||
        !(msr_read(MSR_SYSCFG) & SYSCFG_TOP_MEM))
        return 0;
    top = msr_read(MSR_TOP_MEM);
    return top && top < ROW_HOLE_END ? ROW_HOLE_END - top : 0;
}

/* The node's own memory, of that which is tested; both lists are in order. */
static void list_memory(const struct shares *shares, uint32_t node, struct row_memory *ret)
{
    const struct node *n = &machine.nodes.node[node];

    *ret = (struct row_memory){ 0 };
    for (size_t i = 0; i < n->n_spans; i++) {
        for (size_t k = 0; k < shares->tested.n; k++)
            row_memory_add(
                ret, span_intersect(shares->tested.span[k], machine.nodes.span[n->first_span + i]));
    }
}

static uint32_t latency(void *ctx, uint64_t phys, uint64_t other)
{
    struct finding *f = ctx;

    cpu_pool_heartbeat(f->cpu);
    if (f->cpu == 0)
        cpu_poll(f->poll);
    if (stop_is_requested() || cpu_pool_is_aborted() || tsc_now() - f->began >= f->ticks)
        return 0;
    return pair_latency(share_slice((struct span){ phys, LINE_SIZE }).virt,
                        share_slice((struct span){ other, LINE_SIZE }).virt);
}

/* If the hole leads to no answer, addresses may be counted with it: half of the time is for that.
 */
static void find(void *ctx, uint32_t cpu)
{
    struct finding *f = ctx;
    int tries = f->question.hole ? 2 : 1;

    f->cpu = cpu;
    f->ticks /= (uint64_t)tries;
    for (int i = 0; i < tries; i++) {
        f->began = tsc_now();
        row_search(&f->question, &f->work, &f->result);
        if (f->result.answer == ROWS_FOUND)
            return;
        f->question.hole = 0;
    }
}

void row_finding_run(const struct run *run, uint32_t node, uint32_t cpu, uint64_t us, uint64_t seed)
{
    static struct finding f; /* larger than a stack */

    if (rows_are_searched(node))
        return;
    f.poll = &run->poll;
    f.ticks = tsc_from_us(us);
    f.question = (struct row_question){ .memory = &f.memory,
                                        .hole = address_hole(),
                                        .seed = seed,
                                        .n_measurements_max = MEASUREMENTS_MAX,
                                        .latency = latency,
                                        .ctx = &f };
    list_memory(&run->shares, node, &f.memory);
    if (machine.cpu.hypervisor)
        f.result = (struct row_result){ .answer = ROWS_VIRTUAL };
    else
        cpu_pool_run_watched(&cpu, 1, (struct cpu_pool_job){ find, &f, &run->poll });
    if (!stop_is_requested() && !cpu_pool_has_new_losses())
        rows_emit(node, &f.result);
}
