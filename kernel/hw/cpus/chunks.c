// SPDX-License-Identifier: MIT
#include "cpus/cpu_pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/panic.h"

#define CPUS_MAX (CHUNKS_MAX / CHUNKS_EACH)

/* Written by the boot CPU, except what CPUs have taken and done. */
struct shared {
    chunks_work work;
    void *ctx;
    uint32_t n;
    _Atomic uint32_t next;
    atomic_bool is_done[CHUNKS_MAX];
    uint32_t cpu[CPUS_MAX];
};

static void do_some(void *ctx, uint32_t cpu)
{
    struct shared *shared = ctx;
    uint32_t i;

    while ((i = atomic_fetch_add(&shared->next, 1)) < shared->n) {
        shared->work(shared->ctx, i);
        atomic_store(&shared->is_done[i], true);
        cpu_pool_heartbeat(cpu);
    }
}

/* As many as are worth their wake-up. One may have other work. */
static uint32_t list_workers(const uint32_t *cpus, uint32_t n_cpus, uint32_t n_chunks,
                             uint32_t ret_cpus[CPUS_MAX])
{
    uint32_t n = 0, most = n_chunks / CHUNKS_EACH;

    for (uint32_t i = 0; i < n_cpus && n < most; i++) {
        if (!cpu_pool_detached() || cpus[i] != cpu_pool_detached())
            ret_cpus[n++] = cpus[i];
    }
    return n;
}

void chunks_run(const uint32_t *cpus, uint32_t n_cpus, uint32_t n, chunks_work work, void *ctx)
{
    static struct shared shared; /* larger than most stacks' frames */
    uint32_t n_workers;

    ASSERT(n <= CHUNKS_MAX);
    n_workers = list_workers(cpus, n_cpus, n, shared.cpu);
    shared.work = work;
    shared.ctx = ctx;
    shared.n = n;
    atomic_store(&shared.next, 0);
    for (uint32_t i = 0; i < n; i++)
        atomic_store(&shared.is_done[i], false);
    if (n_workers > 1)
        cpu_pool_run(shared.cpu, n_workers, (struct cpu_pool_job){ do_some, &shared, NULL });
    for (uint32_t i = 0; i < n; i++) {
        if (!atomic_load(&shared.is_done[i]))
            work(ctx, i);
    }
}
