// SPDX-License-Identifier: MIT
#include "measure/prefetch.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpudata/prefetch.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "machine/machine.h"

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

const char *prefetch_turn_off(const struct bench *bench)
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

void prefetch_put_back(const struct bench *bench)
{
    on_all(bench, put_back, NULL);
}
