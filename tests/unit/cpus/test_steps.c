// SPDX-License-Identifier: MIT
#include "cpus/steps.h"

#include <sched.h>

#include <pthread.h>

#include "tests/unit/unit.h"

#define N_STEPS 400

/* Of the queues. */
#define N_CPUS        4
#define N_QUEUE_STEPS 5000
#define AHEAD         2

static struct barrier_group groups[8];
static struct barrier barrier = { .group = groups };

static void begin(uint32_t n_groups, uint32_t n_members)
{
    for (uint32_t g = 0; g < n_groups; g++)
        groups[g].n_members = n_members;
    barrier_begin(&barrier, n_groups);
}

TEST(the_last_to_arrive_is_told)
{
    begin(2, 2);
    assert_false(barrier_arrive(&barrier, 0, barrier.first));
    assert_false(barrier_arrive(&barrier, 1, barrier.first));
    assert_false(barrier_arrive(&barrier, 1, barrier.first));
    assert_int_equal(barrier_done(&barrier, 0), barrier.first);
    assert_true(barrier_arrive(&barrier, 0, barrier.first));
    assert_int_equal(barrier_done(&barrier, 0), barrier.first);
    barrier_release(&barrier, barrier.first);
    for (uint32_t g = 0; g < 2; g++)
        assert_int_equal(barrier_done(&barrier, g), barrier.first + 1);
}

TEST(one_may_be_ahead)
{
    begin(2, 1);
    for (uint64_t n = barrier.first; n < barrier.first + BARRIER_AHEAD_MAX; n++)
        assert_false(barrier_arrive(&barrier, 0, n));
    for (uint64_t n = barrier.first; n < barrier.first + BARRIER_AHEAD_MAX; n++) {
        assert_int_equal(barrier_done(&barrier, 0), n);
        assert_true(barrier_arrive(&barrier, 1, n));
        barrier_release(&barrier, n);
    }
}

/* A CPU that was lost in a former use, where the others went on without it. */
TEST(who_is_late_is_not_counted)
{
    uint64_t first;

    begin(1, 2);
    first = barrier.first;
    for (uint64_t n = first; n < first + BARRIER_AHEAD_MAX; n++)
        assert_false(barrier_arrive(&barrier, 0, n));
    begin(1, 2);
    assert_true(barrier.first >= first + BARRIER_AHEAD_MAX);
    assert_false(barrier_arrive(&barrier, 0, barrier.first));
    for (uint64_t n = first; n < first + BARRIER_AHEAD_MAX; n++)
        assert_false(barrier_arrive(&barrier, 0, n));
    assert_int_equal(barrier_done(&barrier, 0), barrier.first);
    assert_true(barrier_arrive(&barrier, 0, barrier.first));
}

static struct member {
    pthread_t thread;
    uint32_t group, ahead;
    _Atomic uint64_t step; /* that it is at */
    bool broken;
} member[8];

static uint32_t n_told;

/* Nobody is at a step before all have done the step that is `ahead` before it. */
static bool is_anybody_too_late(uint64_t step, uint32_t ahead)
{
    for (size_t i = 0; i < sizeof(member) / sizeof(member[0]); i++) {
        if (atomic_load(&member[i].step) + ahead <= step)
            return true;
    }
    return false;
}

static void *take_part(void *ctx)
{
    struct member *m = ctx;

    for (uint64_t step = 0; step < N_STEPS; step++) {
        while (barrier_done(&barrier, m->group) + m->ahead <= barrier.first + step)
            sched_yield();
        m->broken = m->broken || is_anybody_too_late(step, m->ahead);
        atomic_store(&m->step, step + 1);
        if (barrier_arrive(&barrier, m->group, barrier.first + step)) {
            __atomic_fetch_add(&n_told, 1, __ATOMIC_RELAXED);
            barrier_release(&barrier, barrier.first + step);
        }
    }
    return NULL;
}

static void run_threads(uint32_t n_groups, uint32_t ahead)
{
    uint32_t n = sizeof(member) / sizeof(member[0]);

    begin(n_groups, n / n_groups);
    n_told = 0;
    memset(member, 0, sizeof(member));
    for (uint32_t i = 0; i < n; i++) {
        member[i].group = i % n_groups;
        member[i].ahead = ahead;
        assert_int_equal(pthread_create(&member[i].thread, NULL, take_part, &member[i]), 0);
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(member[i].thread, NULL);
    for (uint32_t i = 0; i < n; i++)
        assert_false(member[i].broken);
    assert_int_equal(n_told, N_STEPS);
    assert_int_equal(barrier_done(&barrier, n_groups - 1), barrier.first + N_STEPS);
}

TEST(threads_stay_in_step)
{
    for (uint32_t n_groups = 1; n_groups <= 8; n_groups *= 2) {
        for (uint32_t ahead = 1; ahead <= BARRIER_AHEAD_MAX; ahead *= 2)
            run_threads(n_groups, ahead);
    }
}

TEST(a_step_is_taken_once)
{
    struct step_queue t;
    uint32_t step = 0;

    step_queue_begin(&t, 5);
    assert_false(step_queue_claim(&t, 5, &step));
    assert_true(step_queue_claim(&t, 6, &step));
    assert_int_equal(step, 5);
    assert_false(step_queue_claim(&t, 100, &step));
    assert_int_equal(step_queue_done(&t), 5);
    step_queue_end(&t, 5);
    assert_int_equal(step_queue_done(&t), 6);
    assert_true(step_queue_claim(&t, 100, &step));
    assert_int_equal(step, 6);
}

/* CPUs that do each other's steps. CPU 0 is slow, and begins only when another has helped it. */
static struct step_queue queues[N_CPUS];
static struct {
    uint32_t next;           /* step; by whoever has claimed it */
    _Atomic uint32_t helped; /* steps that another did */
    bool broken;
} work[N_CPUS];

static uint32_t steps_done(void)
{
    return (uint32_t)(barrier_done(&barrier, 0) - barrier.first);
}

static bool do_step(uint32_t cpu, uint32_t worker, uint32_t done)
{
    uint32_t end = done + AHEAD < N_QUEUE_STEPS ? done + AHEAD : N_QUEUE_STEPS, step;
    bool is_last;

    if (!step_queue_claim(&queues[worker], end, &step))
        return false;
    work[worker].broken |= step != work[worker].next++ || step >= steps_done() + AHEAD;
    work[worker].helped += cpu != worker;
    for (int i = 0; cpu == 0 && i < 20; i++)
        sched_yield();
    is_last = barrier_arrive(&barrier, 0, barrier.first + step);
    step_queue_end(&queues[worker], step);
    if (is_last)
        barrier_release(&barrier, barrier.first + step);
    return true;
}

static void *run_cpu(void *ctx)
{
    uint32_t cpu = (uint32_t)(uintptr_t)ctx, done;

    while (cpu == 0 && !work[0].helped)
        sched_yield();
    while ((done = steps_done()) < N_QUEUE_STEPS) {
        bool any = do_step(cpu, cpu, done);

        for (uint32_t i = 1; i < N_CPUS && !any; i++)
            any = do_step(cpu, (cpu + i) % N_CPUS, done);
        if (!any)
            sched_yield();
    }
    return NULL;
}

TEST(all_steps_are_done_in_order_with_help)
{
    pthread_t thread[N_CPUS];

    begin(1, N_CPUS);
    for (uint32_t i = 0; i < N_CPUS; i++)
        step_queue_begin(&queues[i], 0);
    for (uintptr_t i = 0; i < N_CPUS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_cpu, (void *)i), 0);
    for (uint32_t i = 0; i < N_CPUS; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < N_CPUS; i++) {
        assert_int_equal(work[i].next, N_QUEUE_STEPS);
        assert_false(work[i].broken);
    }
    assert_true(work[0].helped > 0);
}
