// SPDX-License-Identifier: MIT
#include "calibration/speeds.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "acpi/madt.h"
#include "arch/tsc.h"
#include "calibration/calibration.h"
#include "calibration/speed_class.h"
#include "cpus/cpu_clocks.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "plan/share.h"
#include "self/own_aliases.h"

#define RACE_BYTES  (UINT64_C(256) << 10) /* of each worker: shorter than a host's time slice */
#define ROUNDS_MIN  3
#define ROUNDS_MAX  16 /* while speeds differ: a CPU that was held up gets another turn */
#define RACE_MAX_US 300000
#define LOAD_ROUNDS 4 /* a CPU that is done stays a load for the others, but not for longer */

/* By worker: bytes a tick; written by that worker. */
static double best[MADT_CPUS_MAX + 1];

struct race {
    struct calibration calibration;
    const struct plan *plan;
    struct span span[MADT_CPUS_MAX + 1]; /* by worker */
    _Atomic uint32_t n_done;
    uint32_t n_racers;
};

static void take_part(void *ctx, uint32_t cpu)
{
    struct race *race = ctx;
    uint32_t worker = plan_worker(race->plan, cpu);
    struct span span = race->span[worker];
    uint64_t took;
    double speed;

    cpu_pool_barrier(cpu);
    if (!span.size)
        return;
    took = calibration_run(&race->calibration, span);
    speed = (double)span.size / (double)max_u64(took, 1);
    if (speed > best[worker])
        best[worker] = speed;
    atomic_fetch_add(&race->n_done, 1);
    for (int i = 0; i < LOAD_ROUNDS && atomic_load(&race->n_done) < race->n_racers; i++) {
        if (cpu_pool_is_aborted())
            return;
        calibration_run(&race->calibration, span);
    }
}

static bool all_are_alike(const struct race *race)
{
    double fastest = best[speeds_fastest(race->plan)];

    for (uint32_t w = 0; w < race->plan->n_workers; w++) {
        if (race->span[w].size && !speed_class_same(fastest, best[w]))
            return false;
    }
    return true;
}

static void walk_piece(const void *job, uint32_t worker, void (*visit)(void *ctx, struct span span),
                       void *ctx)
{
    visit(ctx, calibration_piece(job, worker, RACE_BYTES));
}

/* All are guarded at once, and again each time a span has changed because pages were given up. */
static void take_spans(const struct shares *shares, struct race *race)
{
    race->n_racers = 0;
    own_aliases_guard(shares, (struct own_aliases_part){ walk_piece, shares, sizeof(*shares) });
    for (uint32_t w = 0; w < shares->plan->n_workers; w++) {
        race->span[w] = calibration_piece(shares, w, RACE_BYTES);
        best[w] = 0;
        race->n_racers += race->span[w].size != 0;
    }
}

static void share_by_speed(struct shares *shares)
{
    static uint32_t level[MADT_CPUS_MAX + 1];
    struct plan *plan = shares->plan;

    speed_class_speeds(best, plan->n_workers, WORKER_FULL_SPEED, level);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].speed = level[w];
    share_rebuild(shares);
}

static void run_races(struct race *race, const struct cpu_poll *poll)
{
    uint64_t began = tsc_now();

    for (unsigned round = 0; round < ROUNDS_MAX && !cpu_pool_has_new_losses(); round++) {
        if (round >= ROUNDS_MIN &&
            (all_are_alike(race) || tsc_now() - began >= tsc_from_us(RACE_MAX_US)))
            break;
        atomic_store(&race->n_done, 0);
        cpu_pool_run(race->plan->worker_cpus, (uint32_t)race->plan->n_workers,
                     (struct cpu_pool_job){ take_part, race, NULL });
        cpu_poll(poll);
    }
}

void speeds_measure(struct trials trials, const struct line_ops *ops)
{
    static struct race race; /* larger than most stacks' frames */
    struct plan *plan = trials.shares->plan;

    if (plan->n_workers == 1)
        plan->workers[0].speed = WORKER_FULL_SPEED;
    if (plan->n_workers == 1 || cpu_clocks_differ())
        return;
    race.plan = plan;
    take_spans(trials.shares, &race);
    race.calibration = calibration_init(ops, CALIBRATION_MARCH, ORDER_ONE_LANE);
    run_races(&race, trials.poll);
    if (!cpu_pool_has_new_losses())
        share_by_speed(trials.shares);
}

uint32_t speeds_fastest(const struct plan *plan)
{
    uint32_t fastest = 0;

    for (uint32_t w = 1; w < plan->n_workers; w++) {
        if (best[w] > best[fastest])
            fastest = w;
    }
    return fastest;
}

uint32_t speeds_slowest(const struct plan *plan)
{
    uint32_t slowest = speeds_fastest(plan);

    for (uint32_t w = 0; w < plan->n_workers; w++) {
        if (best[w] > 0 && best[w] < best[slowest])
            slowest = w;
    }
    return slowest;
}

uint32_t speeds_count_fast(const struct plan *plan)
{
    double middle = (best[speeds_fastest(plan)] + best[speeds_slowest(plan)]) / 2;
    uint32_t n = 0;

    for (uint32_t w = 0; w < plan->n_workers; w++)
        n += best[w] <= 0 || best[w] >= middle;
    return n;
}

uint32_t speeds_percent(const struct plan *plan, uint32_t cpu)
{
    const struct worker *w = &plan->workers[plan_worker(plan, cpu)];

    if (w->cpu != cpu || !w->speed)
        return 0;
    return (uint32_t)max_u64((w->speed * 100 + WORKER_FULL_SPEED / 2) / WORKER_FULL_SPEED, 1);
}
