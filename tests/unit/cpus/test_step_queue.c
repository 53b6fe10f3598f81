// SPDX-License-Identifier: MIT
#include "cpus/step_queue.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "cpus/barrier.h"

#define N       4
#define N_STEPS 5000
#define AHEAD   2

static void a_step_is_taken_once(void **state)
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
static struct barrier_group group = { .n_members = N };
static struct barrier barrier = { .group = &group };
static struct step_queue queues[N];
static struct {
    uint32_t next;           /* step; by whoever has claimed it */
    _Atomic uint32_t helped; /* steps that another did */
    bool broken;
} work[N];

static uint32_t steps_done(void)
{
    return (uint32_t)(barrier_done(&barrier, 0) - barrier.first);
}

static bool do_step(uint32_t cpu, uint32_t worker, uint32_t done)
{
    uint32_t end = done + AHEAD < N_STEPS ? done + AHEAD : N_STEPS, step;
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
    while ((done = steps_done()) < N_STEPS) {
        bool any = do_step(cpu, cpu, done);

        for (uint32_t i = 1; i < N && !any; i++)
            any = do_step(cpu, (cpu + i) % N, done);
        if (!any)
            sched_yield();
    }
    return NULL;
}

static void all_steps_are_done_in_order_with_help(void **state)
{
    pthread_t thread[N];

    barrier_begin(&barrier, 1);
    for (uint32_t i = 0; i < N; i++)
        step_queue_begin(&queues[i], 0);
    for (uintptr_t i = 0; i < N; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_cpu, (void *)i), 0);
    for (uint32_t i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(work[i].next, N_STEPS);
        assert_false(work[i].broken);
    }
    assert_true(work[0].helped > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_taken_once),
        cmocka_unit_test(all_steps_are_done_in_order_with_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
