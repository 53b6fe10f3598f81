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
#include "lib/panic.h"
#include "measure/role.h"

void unmeasured_send(const char *what, uint32_t cpu_node, uint32_t mem_node, const char *why)
{
    struct event_unmeasured u = { what, why, cpu_node != SITES_NONE, mem_node != SITES_NONE, 0, 0 };

    if (measure_is_over())
        return;
    if (u.has_cpu_node)
        u.cpu_node = sites_domain(cpu_node);
    if (u.has_mem_node)
        u.mem_node = sites_domain(mem_node);
    events_send(&(struct event){ .type = EVENT_UNMEASURED, .unmeasured = u });
}

bool unmeasured_has_runs(const struct event_stats *s, const char *what, uint32_t cpu_node,
                         uint32_t mem_node)
{
    if (!s->runs)
        unmeasured_send(what, cpu_node, mem_node, "a time stamp counter went back in every run");
    return s->runs;
}

#define CHAIN_SEED     UINT64_C(0x6f6b72616d)
#define CHAIN_SEGMENT  (UINT64_C(1) << 20) /* followed between two checks whether to stop */
#define WARM_UP_SHARE  8  /* the run that finds how often to repeat lasts 1/WARM_UP_SHARE... */
#define WARM_UP_GROWTH 64 /* ...and comes near that in steps: the first runs are cold */
#define JUMPS_MAX      16 /* in a warm-up: more, and the counter is of no use */

/* A run. */
struct race {
    const struct roles *roles;
    uint32_t n_rounds;
    _Atomic uint32_t ready, loading, measuring;
    _Atomic bool aborted;
};

/* A chain that a CPU builds. */
struct building {
    struct span chain;
    enum chase_lines lines;
    bool is_sound; /* if the CPU is lost it cannot say otherwise */
};

bool measure_is_over(void)
{
    return stop_is_requested() || cpu_pool_has_new_losses();
}

static void build_chain(void *ctx, uint32_t cpu)
{
    struct building *b = ctx;
    void *cursor = direct(b->chain.base);

    chase_build(cursor, b->chain.size, b->lines, CHAIN_SEED);
    b->is_sound = chase_is_sound(cursor, b->chain.size, b->lines);
    if (!b->is_sound)
        return;
    for (uint64_t left = chase_count(b->chain.size, b->lines); left && !stop_is_requested();) {
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

bool measure_build_chain(const struct bench *bench, uint32_t cpu, struct span chain,
                         enum chase_lines lines)
{
    struct building b = { chain, lines, true };

    cpu_pool_run(&cpu, 1, (struct cpu_pool_job){ build_chain, &b, bench->poll });
    cpu_poll(bench->poll);
    if (!b.is_sound)
        warn_of_broken_chain(chain);
    return b.is_sound;
}

static void run_load(struct race *race, struct role *r)
{
    r->began = cpu_clocks_now(r->cpu);
    r->done = r->round(r);
    atomic_fetch_add(&race->loading, 1);
    while (atomic_load_explicit(&race->measuring, memory_order_relaxed) && !cpu_pool_is_aborted()) {
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

static uint64_t ticks_before(struct role *r)
{
    uint64_t from = cpu_clocks_now(r->cpu);

    r->before(r);
    return cpu_clocks_now(r->cpu) - from;
}

static void run_measured(struct race *race, struct role *r)
{
    uint64_t done = 0;

    wait_until(&race->loading, race->roles->n_loads, r->cpu);
    r->began = cpu_clocks_now(r->cpu);
    for (uint32_t i = 0; i < race->n_rounds; i++) {
        if (stop_is_requested() || cpu_pool_is_aborted()) {
            atomic_store(&race->aborted, true);
            break;
        }
        if (r->before)
            r->began += ticks_before(r);
        done += r->round(r);
    }
    r->ended = cpu_clocks_now(r->cpu);
    r->done = done;
    atomic_fetch_sub(&race->measuring, 1);
}

static void run_role(void *ctx, uint32_t cpu)
{
    struct race *race = ctx;
    struct role *r = role_of(race->roles, cpu);

    /* CPUs that are early halt; then all are awake, and spin for the last few instructions. */
    cpu_pool_barrier(cpu);
    atomic_fetch_add(&race->ready, 1);
    wait_until(&race->ready, race->roles->n, cpu);
    if (r->is_load)
        run_load(race, r);
    else
        run_measured(race, r);
}

/* The old content of memory, with denormal numbers and the like, must not slow arithmetic down. */
static void init_arrays(void *ctx, uint32_t cpu)
{
    struct role *r = role_of(ctx, cpu);

    if (r->arrays.b && !r->is_filled)
        stream_init(roles.ops, &r->arrays, r->bytes);
    r->is_filled = true;
}

/* One run. False: it was aborted and does not count. */
static bool run_once(const struct bench *bench, uint32_t rounds)
{
    struct race race = { .roles = &roles,
                         .n_rounds = rounds,
                         .measuring = roles.n - roles.n_loads };

    cpu_pool_run(roles.cpus, roles.n, (struct cpu_pool_job){ run_role, &race, bench->poll });
    cpu_poll(bench->poll);
    return !atomic_load(&race.aborted) && !cpu_pool_has_new_losses();
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

/* Whether a counter went back, as by firmware or a hypervisor that sets it: the run has no time. */
static bool has_jumped(void)
{
    for (const struct role *r = roles.role; r < roles.role + roles.n; r++) {
        if (r->ended < r->began)
            return true;
    }
    return false;
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

static double value_of_run(enum measure_unit unit)
{
    uint64_t done, ticks = ticks_of_run(&done);

    return unit == MEASURE_MB_S ? mb_s(done, ticks)
                                : (double)ticks * 1e9 / (double)tsc_hz() / (double)done;
}

/* Warms up, `rounds` first; returns those that last run_us, or 0 when the run is stopped. */
static uint32_t find_rounds(const struct bench *bench, uint64_t run_us, uint64_t rounds)
{
    uint64_t target = tsc_from_us(bench->run_us ? bench->run_us : run_us);

    cpu_pool_run(roles.cpus, roles.n, (struct cpu_pool_job){ init_arrays, &roles, bench->poll });
    for (uint32_t jumps = 0; jumps < JUMPS_MAX;) {
        uint64_t done, ticks, wanted;

        if (!run_once(bench, (uint32_t)rounds))
            return 0;
        if (has_jumped()) {
            jumps++;
            continue;
        }
        ticks = ticks_of_run(&done);
        wanted = sizing_iterations(ticks, target * rounds);
        if (ticks >= target / WARM_UP_SHARE || wanted <= rounds)
            return (uint32_t)wanted;
        rounds = min_u64(wanted, rounds * WARM_UP_GROWTH);
    }
    return 0;
}

static void take_roles(const struct comparison *c, uint32_t which)
{
    if (c->take_roles)
        c->take_roles(c->ctx, which);
}

/* The rounds of each measurement; each begins with those of the one before. False: stopped. */
static bool warm_up(const struct bench *bench, const struct comparison *c, uint32_t *ret_rounds)
{
    uint32_t rounds = 1;

    for (uint32_t which = 0; which < c->n && rounds; which++) {
        take_roles(c, which);
        rounds = ret_rounds[which] = find_rounds(bench, c->run_us, rounds);
    }
    return rounds;
}

/* Which turn it is, what its runs came to, and what all did so far. */
struct turns {
    uint32_t number, left_out;
    bool jumped;
    double value[COMPARED_MAX], load_mb_s[COMPARED_MAX];
    struct {
        struct stats value, longer, load_mb_s;
    } row[COMPARED_MAX];
};

/* A run of each measurement; false: one was aborted, and none counts. No more does one that jumped.
 */
static bool run_turn(const struct bench *bench, const struct comparison *c, const uint32_t *rounds,
                     struct turns *t)
{
    t->jumped = false;
    for (uint32_t at = 0; at < c->n; at++) {
        uint32_t which = turn_order(c->n, t->number, at);

        take_roles(c, which);
        if (!run_once(bench, rounds[which]))
            return false;
        t->jumped |= has_jumped();
        t->value[which] = value_of_run(c->unit);
        t->load_mb_s[which] = load_of_run();
    }
    return true;
}

static double longer(enum measure_unit unit, double first, double value)
{
    if (!(first > 0 && value > 0)) /* fewer lines than CPUs */
        return 0;
    return 100 * (unit == MEASURE_MB_S ? first / value : value / first) - 100;
}

static void add_turn(struct turns *t, const struct comparison *c)
{
    t->left_out += t->jumped;
    if (t->jumped)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        stats_add(&t->row[i].value, t->value[i]);
        stats_add(&t->row[i].longer, longer(c->unit, t->value[0], t->value[i]));
        stats_add(&t->row[i].load_mb_s, t->load_mb_s[i]);
    }
}

static struct event_stats stats_of(const struct stats *s, bool most_is_best, uint32_t left_out)
{
    return (struct event_stats){ (uint32_t)s->n,  s->mean, most_is_best ? s->max : s->min,
                                 stats_stddev(s), s->min,  s->max,
                                 left_out };
}

void measure_in_turns(const struct bench *bench, const struct comparison *c,
                      struct measured *ret_measured)
{
    static uint32_t rounds[COMPARED_MAX];
    static struct turns t;

    ASSERT(c->n <= COMPARED_MAX);
    t = (struct turns){ 0 };
    if (warm_up(bench, c, rounds)) {
        for (; t.number < bench->runs && run_turn(bench, c, rounds, &t); t.number++)
            add_turn(&t, c);
    }
    for (uint32_t i = 0; i < c->n; i++)
        ret_measured[i] =
            (struct measured){ stats_of(&t.row[i].value, c->unit == MEASURE_MB_S, t.left_out),
                               stats_of(&t.row[i].longer, false, t.left_out),
                               stats_of(&t.row[i].load_mb_s, true, t.left_out) };
}

static struct event_stats measure_alone(const struct bench *bench, enum measure_unit unit,
                                        uint64_t run_us)
{
    struct measured m;

    measure_in_turns(bench, &(struct comparison){ .unit = unit, .run_us = run_us, .n = 1 }, &m);
    return m.value;
}

struct event_stats measure_mb_s(const struct bench *bench, uint64_t run_us)
{
    return measure_alone(bench, MEASURE_MB_S, run_us);
}

struct event_stats measure_ns(const struct bench *bench, uint64_t run_us)
{
    return measure_alone(bench, MEASURE_NS, run_us);
}
