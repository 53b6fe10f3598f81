// SPDX-License-Identifier: MIT
#include "measure/measure.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"
#include "cpus/cpu_clocks.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "measure/role.h"

#define CHAIN_SEED     UINT64_C(0x6f6b72616d)
#define CHAIN_SEGMENT  (UINT64_C(1) << 20) /* followed between two checks whether to stop */
#define WARM_UP_SHARE  8  /* the run that finds how often to repeat lasts 1/WARM_UP_SHARE... */
#define WARM_UP_GROWTH 64 /* ...and comes near that in steps: the first runs are cold */

/* Of the current run. */
static uint32_t n_rounds;
static _Atomic uint32_t ready, loading, measuring;
static _Atomic bool aborted;

static double load_mb_s; /* of the last row */

static bool chain_is_sound; /* the last one built */

bool measure_is_over(void)
{
    return stop_is_requested() || cpu_pool_has_new_losses();
}

static void build_chain(void *ctx, uint32_t cpu)
{
    const struct span *chain = ctx;
    void *cursor = direct(chain->base);

    chase_build(cursor, chain->size, CHASE_ANYWHERE, CHAIN_SEED);
    chain_is_sound = chase_is_sound(cursor, chain->size);
    if (!chain_is_sound)
        return;
    for (uint64_t left = chain->size / LINE_SIZE; left && !stop_is_requested();) {
        uint64_t steps = min_u64(left, CHAIN_SEGMENT);

        chase_run(&cursor, steps);
        left -= steps;
    }
}

static void warn_of_broken_chain(struct span chain)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    warn_print(
        &notices,
        "latency is not measured in faulty memory: a pointer chain in the %lu KiB at 0x%lx is "
        "damaged",
        (unsigned long)(chain.size >> 10), (unsigned long)chain.base);
}

bool measure_build_chain(uint32_t cpu, struct span chain)
{
    chain_is_sound = true; /* if the CPU is lost it cannot say */
    cpu_pool_run(&cpu, 1, build_chain, &chain);
    cpu_pool_poll();
    if (!chain_is_sound)
        warn_of_broken_chain(chain);
    return chain_is_sound;
}

static void run_load(struct role *r)
{
    r->began = cpu_clocks_now(r->cpu);
    r->done = r->round(r);
    atomic_fetch_add(&loading, 1);
    while (atomic_load_explicit(&measuring, memory_order_relaxed) && !cpu_pool_is_aborted()) {
        r->done += r->round(r);
        cpu_pool_wait(r->cpu);
    }
    r->ended = cpu_clocks_now(r->cpu);
}

/* Until n CPUs have arrived, or one of them never will. */
static void wait_until(const _Atomic uint32_t *come, uint32_t n, uint32_t cpu)
{
    while (atomic_load(come) < n && !cpu_pool_is_aborted()) {
        cpu_relax();
        cpu_pool_wait(cpu);
    }
}

static void run_measured(struct role *r)
{
    uint64_t done = 0;

    wait_until(&loading, roles.n_loads, r->cpu);
    r->began = cpu_clocks_now(r->cpu);
    for (uint32_t i = 0; i < n_rounds; i++) {
        if (stop_is_requested() || cpu_pool_is_aborted()) {
            atomic_store(&aborted, true);
            break;
        }
        done += r->round(r);
    }
    r->ended = cpu_clocks_now(r->cpu);
    r->done = done;
    atomic_fetch_sub(&measuring, 1);
}

static void run_role(void *ctx, uint32_t cpu)
{
    struct role *r = role_of(cpu);

    /* CPUs that are early halt; then all are awake, and spin for the last few instructions. */
    cpu_pool_barrier(cpu);
    atomic_fetch_add(&ready, 1);
    wait_until(&ready, roles.n, cpu);
    if (r->is_load)
        run_load(r);
    else
        run_measured(r);
}

/* The old content of memory, with denormal numbers and the like, must not slow arithmetic down. */
static void init_arrays(void *ctx, uint32_t cpu)
{
    const struct role *r = role_of(cpu);

    if (r->arrays.b)
        stream_init(stream_ops_choose(machine.cpu.avx2), &r->arrays, r->bytes);
}

/* One run. False: it was aborted and does not count. */
static bool run_once(uint32_t rounds)
{
    n_rounds = rounds;
    atomic_store(&ready, 0);
    atomic_store(&loading, 0);
    atomic_store(&measuring, roles.n - roles.n_loads);
    atomic_store(&aborted, false);
    cpu_pool_run(roles.cpus, roles.n, run_role, NULL);
    cpu_pool_poll();
    return !atomic_load(&aborted) && !cpu_pool_has_new_losses();
}

/*
 * Ticks from the first start to the last end of the CPUs that do not make a load, and what they
 * did. All begin at once: if their clocks cannot be compared, it is the time of the slowest.
 */
static uint64_t ticks_of_run(uint64_t *ret_done)
{
    uint64_t began = UINT64_MAX, ended = 0, longest = 1;

    *ret_done = 0;
    for (const struct role *r = roles.role; r < roles.role + roles.n; r++) {
        if (r->is_load)
            continue;
        began = min_u64(r->began, began);
        ended = max_u64(r->ended, ended);
        longest = max_u64(r->ended - r->began, longest);
        *ret_done += r->done;
    }
    if (cpu_clocks_differ())
        return longest;
    return ended > began ? ended - began : 1;
}

static double mb_s(uint64_t bytes, uint64_t ticks)
{
    return (double)bytes / 1e6 * (double)tsc_hz() / (double)ticks;
}

static double load_of_run(void)
{
    double sum = 0;

    for (const struct role *r = roles.role; r < roles.role + roles.n; r++) {
        if (r->is_load && r->ended > r->began)
            sum += mb_s(r->done, r->ended - r->began);
    }
    return sum;
}

static double mb_s_of_run(void)
{
    uint64_t bytes, ticks = ticks_of_run(&bytes);

    return mb_s(bytes, ticks);
}

static double ns_of_run(void)
{
    uint64_t loads, ticks = ticks_of_run(&loads);

    return (double)ticks * 1e9 / (double)tsc_hz() / (double)loads;
}

/* Warms up; returns the rounds that last run_us, or 0 when the run is stopped. */
static uint32_t find_rounds(uint64_t run_us)
{
    uint64_t target = tsc_from_us(run_us), rounds = 1;

    cpu_pool_run(roles.cpus, roles.n, init_arrays, NULL);
    for (;;) {
        uint64_t done, ticks, wanted;

        if (!run_once((uint32_t)rounds))
            return 0;
        ticks = ticks_of_run(&done);
        wanted = sizing_iterations(ticks, target * rounds);
        if (ticks >= target / WARM_UP_SHARE || wanted <= rounds)
            return (uint32_t)wanted;
        rounds = min_u64(wanted, rounds * WARM_UP_GROWTH);
    }
}

static struct stats measure(uint32_t runs, uint64_t run_us, double (*value)(void))
{
    struct stats s = { 0 }, load = { 0 };
    uint32_t rounds = find_rounds(run_us);

    for (uint32_t i = 0; i < runs && rounds && run_once(rounds); i++) {
        stats_add(&s, value());
        stats_add(&load, load_of_run());
    }
    load_mb_s = load.mean;
    return s;
}

struct stats measure_mb_s(uint32_t runs, uint64_t run_us)
{
    return measure(runs, run_us, mb_s_of_run);
}

struct stats measure_ns(uint32_t runs, uint64_t run_us)
{
    return measure(runs, run_us, ns_of_run);
}

double measure_load_mb_s(void)
{
    return load_mb_s;
}

struct event_stats measure_event_stats(const struct stats *s)
{
    return (struct event_stats){ s->mean, stats_stddev(s), s->min, s->max };
}
