// SPDX-License-Identifier: MIT
#include "plan/busy_cpu.h"

#include <stddef.h>

#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "plan/plan.h"
#include "plan/share.h"

static uint32_t busy;        /* 0: none */
static struct worker absent; /* the busy CPU, if it is one of the workers */
static size_t absent_at;     /* its place among them */
static bool is_absent;

static size_t place_of(uint32_t cpu)
{
    size_t i = 0;

    while (i < plan.n_workers && plan.workers[i].cpu != cpu)
        i++;
    return i;
}

static void take_back(void)
{
    size_t at = min_u64(absent_at, plan.n_workers);

    if (is_absent && !cpu_pool_has_lost(absent.cpu)) {
        memmove(&plan.workers[at + 1], &plan.workers[at],
                (plan.n_workers - at) * sizeof(plan.workers[0]));
        plan.workers[at] = absent;
        plan.n_workers++;
    }
    is_absent = false;
}

static void leave_out(size_t at)
{
    is_absent = at < plan.n_workers;
    if (!is_absent)
        return;
    absent = plan.workers[at];
    absent_at = at;
    plan.n_workers--;
    memmove(&plan.workers[at], &plan.workers[at + 1],
            (plan.n_workers - at) * sizeof(plan.workers[0]));
}

bool busy_cpu_drop(uint32_t cpu, struct shares *shares)
{
    if (cpu == busy)
        return true;
    if (cpu && plan.n_workers == 1 && plan.workers[0].cpu == cpu)
        return false;
    take_back();
    if (cpu)
        leave_out(place_of(cpu));
    busy = cpu;
    plan_index_workers();
    share_rebuild(shares);
    return true;
}
