// SPDX-License-Identifier: MIT
#include "cpus/cpu_clocks.h"

#include <stdatomic.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "lib/minmax.h"
#include "lib/skew.h"
#include "machine/machine.h"
#include "memory/arena.h"

#define OFF_MAX_US    10
#define APART_US      20000  /* between the two comparisons: 10 us are 0.05 % of it */
#define ALL_TALK_US   600000 /* with all CPUs, both times together */
#define TALK_US       1000   /* with one, if it has answered often enough */
#define EXCHANGES_MIN 2
#define EXCHANGES_MAX 64

/* A question of the boot CPU to the other CPU, and the answer. */
struct talk {
    _Alignas(64) _Atomic uint32_t asked;
    _Alignas(64) _Atomic uint32_t answered;
    uint64_t there; /* written before `answered` */
    _Alignas(64) _Atomic bool over;
    uint64_t left; /* ticks, for this CPU and all that follow */
    uint32_t n_follow;
    struct skew skew;
};

struct cpu_clock {
    struct skew first, second;
    int64_t ahead; /* ticks */
};

static struct cpu_clock *clocks; /* by CPU */
static struct talk comparison;
static uint64_t first_at; /* when the first comparison began */
static bool differ;

/* The counters that are off in one way. */
struct tally {
    uint32_t n, worst_cpu;
    int64_t worst; /* ticks */
};

static void ask(struct talk *talk)
{
    uint64_t began = tsc_now(), most = talk->left / (talk->n_follow + 1);
    uint64_t close = tsc_from_us(1), long_enough = tsc_from_us(TALK_US);

    for (uint32_t n = 1; n <= EXCHANGES_MAX; n++) {
        uint64_t asked = tsc_now_in_order();

        atomic_store(&talk->asked, n);
        while (atomic_load(&talk->answered) != n) {
            if (tsc_now() - began >= most || cpu_pool_is_aborted())
                return;
            cpu_relax();
        }
        skew_narrow(&talk->skew, asked, talk->there, tsc_now_in_order());
        if (n >= EXCHANGES_MIN &&
            (skew_width(talk->skew) <= close || tsc_now() - began >= long_enough))
            return;
    }
}

static void answer(struct talk *talk)
{
    uint32_t n = 0;

    while (!atomic_load(&talk->over) && !cpu_pool_is_aborted()) {
        uint32_t asked = atomic_load(&talk->asked);

        if (asked == n) {
            cpu_relax();
            continue;
        }
        n = asked;
        talk->there = tsc_now_in_order();
        atomic_store(&talk->answered, n);
    }
}

static void take_part(void *ctx, uint32_t cpu)
{
    struct talk *talk = ctx;

    if (cpu == 0) {
        uint64_t began = tsc_now(), took;

        ask(talk);
        atomic_store(&talk->over, true);
        took = tsc_now() - began;
        talk->left -= min_u64(took, talk->left);
    } else {
        answer(talk);
    }
}

static struct skew talk_with(struct talk *talk, uint32_t cpu)
{
    atomic_store(&talk->asked, 0);
    atomic_store(&talk->answered, 0);
    atomic_store(&talk->over, false);
    talk->skew = SKEW_ANY;
    cpu_pool_run((uint32_t[]){ 0, cpu }, 2, (struct cpu_pool_job){ take_part, talk, NULL });
    return talk->skew;
}

static uint64_t size_of(int64_t ticks)
{
    return ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
}

static void count(struct tally *t, uint32_t cpu, int64_t ticks)
{
    if (size_of(ticks) <= tsc_from_us(OFF_MAX_US))
        return;
    t->n++;
    if (size_of(ticks) > size_of(t->worst)) {
        t->worst = ticks;
        t->worst_cpu = cpu;
    }
}

static double us_of(int64_t ticks)
{
    return (double)ticks * 1e6 / (double)tsc_hz();
}

static void warn(const struct tally *offset, const struct tally *faster, uint64_t passed)
{
    if (faster->n)
        notice("time stamp counters at another rate than the boot CPU's: %u, the worst is cpu "
               "%u's, by %.3f %%; measurements with these CPUs are off by as much",
               faster->n, faster->worst_cpu, 100 * (double)faster->worst / (double)passed);
    if (offset->n)
        notice("time stamp counters that differ from the boot CPU's: %u, the worst is cpu %u's, by "
               "%.1f us; corrected for",
               offset->n, offset->worst_cpu, us_of(offset->worst));
}

/*
 * One after the other: several at a time would keep each other waiting if they share a host's CPU.
 */
static void talk_with_all(bool second)
{
    for (uint32_t i = 1; i < machine.n_online && !cpu_pool_has_new_losses(); i++) {
        uint32_t cpu = machine.online[i];
        struct skew skew;

        comparison.n_follow = machine.n_online - 1 - i + (second ? 0 : machine.n_online - 1);
        skew = talk_with(&comparison, cpu);

        if (second)
            clocks[cpu].second = skew;
        else
            clocks[cpu].first = skew;
    }
}

void cpu_clocks_prepare(void)
{
    clocks = arena_alloc(machine.n_cpus * sizeof(*clocks));
    for (uint32_t cpu = 0; cpu < machine.n_cpus; cpu++)
        clocks[cpu] = (struct cpu_clock){ .first = SKEW_ANY, .second = SKEW_ANY };
}

void cpu_clocks_begin(void)
{
    first_at = tsc_now();
    comparison.left = tsc_from_us(ALL_TALK_US);
    talk_with_all(false);
}

void cpu_clocks_compare(void)
{
    struct tally offset = { 0 }, faster = { 0 };
    uint64_t passed;

    if (machine.n_online == 1)
        return;
    while (tsc_now() - first_at < tsc_from_us(APART_US))
        cpu_relax();
    passed = tsc_now() - first_at;
    talk_with_all(true);

    for (uint32_t i = 1; i < machine.n_online; i++) {
        uint32_t cpu = machine.online[i];
        struct cpu_clock *c = &clocks[cpu];

        c->ahead = skew_guess(c->second);
        count(&offset, cpu, skew_least(c->second));
        count(&faster, cpu, skew_gained(c->first, c->second));
    }
    differ = faster.n;
    warn(&offset, &faster, passed);
}

uint64_t cpu_clocks_now(uint32_t cpu)
{
    return tsc_now() - (uint64_t)clocks[cpu].ahead;
}

bool cpu_clocks_differ(void)
{
    return differ;
}
