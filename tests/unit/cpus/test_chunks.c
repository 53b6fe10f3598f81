// SPDX-License-Identifier: MIT
#include "cpus/cpu_pool.h"

#include <stdatomic.h>

#include <pthread.h>

#include "tests/unit/unit.h"

#define N_CPUS 8

/* A pool of threads: `detached` has other work, and `lost` is so before its first chunk is done. */
static uint32_t online[N_CPUS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static uint32_t detached, lost, n_called;
static _Atomic uint32_t done[CHUNKS_MAX];
static _Thread_local uint32_t self;

static struct cpu_pool_job job;

static void *be_cpu(void *number)
{
    self = *(uint32_t *)number;
    job.work(job.ctx, self);
    return NULL;
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job given)
{
    pthread_t thread[N_CPUS];
    uint32_t number[N_CPUS];

    assert_int_equal(numbers[0], 0);
    assert_true(n <= N_CPUS);
    n_called = n;
    job = given;
    for (uint32_t i = 0; i < n; i++) {
        number[i] = numbers[i];
        assert_true(!detached || number[i] != detached);
        assert_int_equal(pthread_create(&thread[i], NULL, be_cpu, &number[i]), 0);
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    self = 0;
}

uint32_t cpu_pool_detached(void)
{
    return detached;
}

void cpu_pool_heartbeat(uint32_t cpu)
{
    assert_int_equal(cpu, self);
}

static void count(void *ctx, uint32_t chunk)
{
    assert_int_equal(*(uint32_t *)ctx, 42);
    if (lost && self == lost)
        pthread_exit(NULL);
    atomic_fetch_add(&done[chunk], 1);
}

static void run(uint32_t n_online, uint32_t n)
{
    uint32_t ctx = 42;

    n_called = 0;
    memset(done, 0, sizeof(done));
    chunks_run(online, n_online, n, count, &ctx);
    for (uint32_t i = 0; i < CHUNKS_MAX; i++)
        assert_int_equal(atomic_load(&done[i]), i < n);
}

TEST(each_is_done_once)
{
    for (uint32_t n_online = 0; n_online <= N_CPUS; n_online++) {
        for (uint32_t n = 0; n <= CHUNKS_MAX; n += 1 + n / 3)
            run(n_online, n);
        run(n_online, CHUNKS_MAX);
    }
}

TEST(no_more_cpus_than_pay)
{
    run(1, CHUNKS_MAX);
    assert_int_equal(n_called, 0);
    run(N_CPUS, 2 * CHUNKS_EACH - 1);
    assert_int_equal(n_called, 0);
    run(N_CPUS, 3 * CHUNKS_EACH);
    assert_int_equal(n_called, 3);
    run(N_CPUS, CHUNKS_MAX);
    assert_int_equal(n_called, N_CPUS);
}

TEST(one_that_has_other_work_is_left_out)
{
    detached = 2;
    run(N_CPUS, CHUNKS_MAX);
    assert_int_equal(n_called, N_CPUS - 1);
    detached = 1;
    run(2, CHUNKS_MAX);
    assert_int_equal(n_called, 0);
    detached = 0;
}

/* It took a chunk and did not end it. */
TEST(what_a_lost_cpu_leaves_is_done)
{
    for (lost = 1; lost < N_CPUS; lost++) {
        run(N_CPUS, CHUNKS_MAX);
        run(N_CPUS, N_CPUS * CHUNKS_EACH);
    }
    lost = 0;
}
