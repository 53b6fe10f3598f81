// SPDX-License-Identifier: MIT
#include "measure/measure.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "arch/tsc.h"
#include "cpus/cpu_clocks.h"
#include "event/notices.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "measure/role.h"
#include "memory/arena.h"
#include "tests/unit/unit.h"

#define HZ         1000000000u
#define CPUS       3
#define ROUND      1000000.0 /* ticks at the start */
#define RUN_US     10000
#define WORK       64000
#define LOAD_COSTS 1.5

struct machine machine;
const struct warnings notices;

/* The clock goes on only while the CPU that measures works. */
static struct {
    double now;
    double drift; /* the share by which it is slower after a second */
    double cost[8];
    uint32_t which, turns;
    _Atomic uint32_t load_rounds;
    bool lost;
    uint32_t readings, jump_from, jump_to; /* the clock goes back at these readings */
} played;

uint64_t tsc_hz(void)
{
    return HZ;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us * (HZ / 1000000);
}

uint64_t cpu_clocks_now(uint32_t cpu)
{
    uint32_t reading;

    if (cpu)
        return 0;
    reading = played.readings++;
    if (reading % 2 && reading / 2 >= played.jump_from && reading / 2 < played.jump_to)
        played.now /= 2;
    return (uint64_t)played.now;
}

bool cpu_clocks_differ(void)
{
    return false;
}

bool stop_is_requested(void)
{
    return false;
}

bool cpu_pool_is_aborted(void)
{
    return false;
}

bool cpu_pool_has_new_losses(void)
{
    return played.lost;
}

void cpu_pool_barrier(uint32_t cpu)
{
}

void cpu_pool_wait(uint32_t cpu)
{
    sched_yield();
}

void *arena_alloc(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* Arrays are empty. */
uint64_t arrays_phys(const struct arrays *arrays, uint32_t i, uint64_t offset)
{
    return 4096;
}

struct thread {
    pthread_t id;
    struct cpu_pool_job job;
    uint32_t cpu;
};

static void *work(void *of)
{
    const struct thread *t = of;

    t->job.work(t->job.ctx, t->cpu);
    return NULL;
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    struct thread threads[CPUS];

    for (uint32_t i = 0; i < n; i++) {
        threads[i] = (struct thread){ .job = job, .cpu = numbers[i] };
        assert_int_equal(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i].id, NULL);
}

static void no_poll(void *ctx)
{
}

static const struct cpu_poll poll = { no_poll, NULL };

/* The machine becomes steadily slower, as by heat: each round takes longer than the one before. */
static uint64_t measured_round(struct role *r)
{
    double slower = 1 + played.drift * played.now / HZ;

    played.now += ROUND * played.cost[played.which] * slower;
    return WORK;
}

static uint64_t counted_load_round(struct role *r)
{
    atomic_fetch_add(&played.load_rounds, 1);
    return WORK;
}

static void measure(uint32_t runs, enum measure_unit unit, uint32_t n,
                    void (*take)(void *ctx, uint32_t which), struct measured *found)
{
    const struct bench bench = { .poll = &poll, .runs = runs };

    measure_in_turns(&bench, &(struct comparison){ unit, RUN_US, n, take, NULL }, found);
}

static void start(double drift)
{
    played.now = 0;
    played.drift = drift;
    played.lost = false;
    played.readings = played.jump_from = played.jump_to = 0;
    played.load_rounds = 0;
    for (size_t i = 0; i < sizeof(played.cost) / sizeof(played.cost[0]); i++)
        played.cost[i] = 1;
    if (!roles.role)
        roles_prepare(CPUS);
    roles.ops = stream_ops_choose((struct line_features){ 0 }, NULL);
}

/* As plain and mirrored writes: each has roles of its own. */
static void take_kind(void *ctx, uint32_t which)
{
    static const struct arrays none = { .n = 1 };

    played.which = which;
    roles_clear();
    role_add_stream((struct role_part){ 0, 1, 0 }, STREAM_READ, &none);
    roles.role[0].round = measured_round;
}

/* As idle and loaded: the others rest, or make a load. */
static void take_load(void *ctx, uint32_t which)
{
    played.which = which;
    roles_load(which ? &(struct load){ LOAD_READS, 0 } : NULL);
}

static void add_loads(void)
{
    static const struct arrays none = { .n = 3 };

    take_kind(NULL, 0);
    for (uint32_t cpu = 1; cpu < CPUS; cpu++) {
        role_add_load((struct role_part){ cpu, CPUS - 1, cpu - 1 }, &none);
        roles.role[cpu].round = counted_load_round;
    }
}

static double difference(const struct measured *a, const struct measured *b)
{
    return 100 * (b->value.mean / a->value.mean - 1);
}

/* A drift by half in the time of all runs; one after the other they differ by 20 % and more. */
TEST(a_drift_is_no_difference)
{
    static const enum measure_unit units[] = { MEASURE_MB_S, MEASURE_NS };
    struct measured found[4];

    for (size_t u = 0; u < 2; u++) {
        for (uint32_t n = 2; n <= 4; n++) {
            for (uint32_t runs = 4; runs <= 20; runs++) {
                double most = runs % 2 ? 50.0 / (runs * runs) : 1;

                start(50.0 / 100 / (n * runs * RUN_US / 1e6));
                measure(runs, units[u], n, take_kind, found);
                assert_int_equal(found[n - 1].value.runs, runs);
                assert_true(found[0].value.max > 1.2 * found[0].value.min);
                for (uint32_t i = 1; i < n; i++) {
                    assert_true(fabs(difference(&found[0], &found[i])) < most);
                    assert_true(fabs(found[i].longer.mean) < most);
                }
            }
        }
    }
}

TEST(a_drift_is_no_cost_of_a_load)
{
    struct measured found[2];

    start(50.0 / 100 / 0.2);
    add_loads();
    measure(10, MEASURE_NS, 2, take_load, found);
    assert_true(fabs(difference(&found[0], &found[1])) < 1);
    assert_true(fabs(found[1].longer.mean) < 1);
    assert_true(found[0].load_mb_s.runs == 10 && found[0].load_mb_s.mean == 0);
}

TEST(a_true_difference_is_seen_in_the_drift)
{
    struct measured found[2];

    for (size_t unit = 0; unit < 2; unit++) {
        start(50.0 / 100 / 0.25);
        add_loads();
        played.cost[1] = LOAD_COSTS;
        measure(10, unit ? MEASURE_NS : MEASURE_MB_S, 2, take_load, found);
        assert_true(fabs(found[1].longer.mean - 50) < 2);
        assert_true(found[0].longer.mean == 0 && found[0].longer.max == 0);
        assert_true(found[1].longer.stddev < 10);
        assert_true(played.load_rounds > 0);
    }
}

/* Each run lasts about as long, however the measurements differ, and the warm-up finds it. */
TEST(each_has_rounds_of_its_own)
{
    struct measured found[3];

    start(0);
    played.cost[1] = 100;
    played.cost[2] = 0.01;
    measure(3, MEASURE_NS, 3, take_kind, found);
    assert_true(fabs(found[1].value.mean / found[0].value.mean - 100) < 0.1);
    assert_true(fabs(found[2].value.mean / found[0].value.mean - 0.01) < 0.0001);
}

/* Whole turns only. */
static void lose_in_the_third_turn(void *ctx, uint32_t which)
{
    take_kind(ctx, which);
    played.lost = ++played.turns == 2 + 2 * 2 + 2; /* after the warm-up */
}

TEST(a_turn_that_is_cut_short_does_not_count)
{
    struct measured found[2];

    start(0);
    played.turns = 0;
    measure(5, MEASURE_NS, 2, lose_in_the_third_turn, found);
    assert_int_equal(found[0].value.runs, 2);
    assert_int_equal(found[1].value.runs, 2);
    assert_int_equal(found[1].longer.runs, 2);
}

/* A CPU that rests does not run, and takes up its load where it was. */
TEST(loads_rest_and_go_on)
{
    start(0);
    add_loads();
    assert_int_equal(roles.n, 1);
    roles_load(&(struct load){ LOAD_3_TO_1, 7 });
    assert_int_equal(roles.n, CPUS);
    assert_int_equal(roles.n_loads, CPUS - 1);
    roles.role[2].at = 4096;
    roles_load(NULL);
    assert_int_equal(roles.n, 1);
    assert_int_equal(roles.n_loads, 0);
    roles_load(&(struct load){ LOAD_WRITES, 0 });
    assert_int_equal(roles.role[2].at, 4096);
    assert_int_equal(roles.role[1].load.mix, LOAD_WRITES);
    assert_ptr_equal(role_of(&roles, 2), &roles.role[2]);
}

static void slow_preparation(struct role *r)
{
    played.now += 7 * ROUND;
}

static void take_prepared(void *ctx, uint32_t which)
{
    take_kind(ctx, which);
    if (which)
        roles.role[0].before = slow_preparation;
}

TEST(preparation_does_not_count)
{
    struct measured found[2];

    start(0);
    measure(3, MEASURE_NS, 2, take_prepared, found);
    assert_true(fabs(found[1].value.mean / found[0].value.mean - 1) < 1e-6);
}

#define CHAIN_PAGES 32

static _Alignas(4096) char chain[CHAIN_PAGES * 4096];
static struct handover handover;

static void take_handover(void *ctx, uint32_t which)
{
    roles_clear();
    role_add_handover(1, 2, &handover);
}

/* As often as the lines were read; each time they were held before. */
TEST(lines_change_hands)
{
    struct measured found[1];
    const struct bench bench = { .poll = &poll, .runs = 3 };

    start(0);
    chase_build(chain, sizeof(chain), CHASE_LINE_A_PAGE, 1);
    handover = (struct handover){ chain, sizeof(chain), .modified = true };
    measure_in_turns(&bench, &(struct comparison){ MEASURE_NS, 0, 1, take_handover, NULL }, found);
    assert_int_equal(found[0].value.runs, 3);
    assert_true(handover.asked >= 4); /* the warm-up, too */
    assert_int_equal(handover.held, handover.asked);
    assert_int_equal(roles.role[0].done % CHAIN_PAGES, 0);
    assert_true(roles.role[0].done > 0 && !roles.role[1].done);
    assert_ptr_equal(((void **)chain)[1], chain); /* written beside the link */
}

/* In each of the first runs, which are the warm-up's, and in later ones. */
static void jump(uint32_t from, uint32_t to)
{
    start(0);
    played.now = 1e12;
    played.jump_from = from;
    played.jump_to = to;
}

static uint32_t runs_of_a_warm_up(void)
{
    struct measured found;

    jump(0, 0);
    measure(1, MEASURE_NS, 1, take_kind, &found);
    return played.readings / 2 - 1;
}

TEST(a_run_whose_clock_goes_back_does_not_count)
{
    uint32_t warm_up = runs_of_a_warm_up();
    struct measured found;

    jump(warm_up + 1, warm_up + 3);
    measure(5, MEASURE_NS, 1, take_kind, &found);
    assert_int_equal(found.value.runs, 3);
    assert_int_equal(found.value.left_out, 2);
    assert_true(fabs(found.value.max / found.value.min - 1) < 1e-9);

    jump(0, 2); /* the warm-up begins again */
    measure(5, MEASURE_MB_S, 1, take_kind, &found);
    assert_int_equal(found.value.runs, 5);
    assert_int_equal(found.value.left_out, 0);
    assert_true(fabs(found.value.mean - WORK / 1e6 / (ROUND / HZ)) < 1e-3);
}

TEST(a_clock_that_always_goes_back_ends_it)
{
    uint32_t warm_up = runs_of_a_warm_up();
    struct measured found;

    jump(0, UINT32_MAX);
    measure(5, MEASURE_NS, 1, take_kind, &found);
    assert_int_equal(found.value.runs, 0);
    assert_true(played.readings / 2 < 100);

    jump(warm_up, UINT32_MAX);
    measure(5, MEASURE_NS, 1, take_kind, &found);
    assert_int_equal(found.value.runs, 0);
    assert_int_equal(found.value.left_out, 5);
}
