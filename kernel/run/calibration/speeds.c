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
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"

#define RACE_BYTES  (UINT64_C(256) << 10) /* of each worker: shorter than a host's time slice */
#define ROUNDS_MIN  3
#define ROUNDS_MAX  16 /* while speeds differ: a CPU that was held up gets another turn */
#define RACE_MAX_US 300000
#define LOAD_ROUNDS 4 /* a CPU that is done stays a load for the others, but not for longer */

/* By worker. */
static struct span span[MADT_CPUS_MAX + 1];
static double best[MADT_CPUS_MAX + 1]; /* bytes a tick; written by that worker */
static struct calibration calibration;
static _Atomic uint32_t n_done;
static uint32_t n_racers;

static void race(void *ctx, uint32_t cpu)
{
    uint32_t worker = plan_worker(cpu);
    uint64_t took;
    double speed;

    cpu_pool_barrier(cpu);
    if (!span[worker].size)
        return;
    took = calibration_run(&calibration, span[worker]);
    speed = (double)span[worker].size / (double)max_u64(took, 1);
    if (speed > best[worker])
        best[worker] = speed;
    atomic_fetch_add(&n_done, 1);
    for (int i = 0; i < LOAD_ROUNDS && atomic_load(&n_done) < n_racers; i++) {
        if (cpu_pool_is_aborted())
            return;
        calibration_run(&calibration, span[worker]);
    }
}

static bool all_are_alike(void)
{
    double fastest = best[speeds_fastest()];

    for (uint32_t w = 0; w < plan.n_workers; w++) {
        if (span[w].size && !speed_class_same(fastest, best[w]))
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
static void take_spans(const struct shares *shares)
{
    n_racers = 0;
    own_aliases_guard(shares, (struct own_aliases_part){ walk_piece, shares, sizeof(*shares) });
    for (uint32_t w = 0; w < plan.n_workers; w++) {
        span[w] = calibration_piece(shares, w, RACE_BYTES);
        best[w] = 0;
        n_racers += span[w].size != 0;
    }
}

static void share_by_speed(struct shares *shares)
{
    static uint32_t level[MADT_CPUS_MAX + 1];

    speed_class_speeds(best, plan.n_workers, WORKER_FULL_SPEED, level);
    for (uint32_t w = 0; w < plan.n_workers; w++)
        plan.workers[w].speed = level[w];
    share_rebuild(shares);
}

void speeds_measure(struct shares *shares, const struct line_ops *ops)
{
    uint64_t began;

    if (plan.n_workers == 1)
        plan.workers[0].speed = WORKER_FULL_SPEED;
    if (plan.n_workers == 1 || cpu_clocks_differ())
        return;
    take_spans(shares);
    began = tsc_now();
    calibration = calibration_init(ops, CALIBRATION_MARCH, ORDER_ONE_LANE);
    for (unsigned round = 0; round < ROUNDS_MAX && !cpu_pool_has_new_losses(); round++) {
        if (round >= ROUNDS_MIN &&
            (all_are_alike() || tsc_now() - began >= tsc_from_us(RACE_MAX_US)))
            break;
        atomic_store(&n_done, 0);
        cpu_pool_run(plan.worker_cpus, (uint32_t)plan.n_workers, race, NULL);
        cpu_pool_poll();
    }
    if (!cpu_pool_has_new_losses())
        share_by_speed(shares);
}

uint32_t speeds_fastest(void)
{
    uint32_t fastest = 0;

    for (uint32_t w = 1; w < plan.n_workers; w++) {
        if (best[w] > best[fastest])
            fastest = w;
    }
    return fastest;
}

uint32_t speeds_slowest(void)
{
    uint32_t slowest = speeds_fastest();

    for (uint32_t w = 0; w < plan.n_workers; w++) {
        if (best[w] > 0 && best[w] < best[slowest])
            slowest = w;
    }
    return slowest;
}

uint32_t speeds_count_fast(void)
{
    double middle = (best[speeds_fastest()] + best[speeds_slowest()]) / 2;
    uint32_t n = 0;

    for (uint32_t w = 0; w < plan.n_workers; w++)
        n += best[w] <= 0 || best[w] >= middle;
    return n;
}

uint32_t speeds_percent(uint32_t cpu)
{
    const struct worker *w = &plan.workers[plan_worker(cpu)];

    if (w->cpu != cpu || !w->speed)
        return 0;
    return (uint32_t)max_u64((w->speed * 100 + WORKER_FULL_SPEED / 2) / WORKER_FULL_SPEED, 1);
}
