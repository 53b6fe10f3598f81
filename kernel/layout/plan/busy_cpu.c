// SPDX-License-Identifier: MIT
#include "plan/busy_cpu.h"

#include <stddef.h>

#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "plan/plan.h"
#include "plan/share.h"

static size_t place_of(const struct plan *plan, uint32_t cpu)
{
    size_t i = 0;

    while (i < plan->n_workers && plan->workers[i].cpu != cpu)
        i++;
    return i;
}

static void take_back(struct plan *plan)
{
    const struct absent_worker *absent = &plan->absent;
    size_t at = min_u64(absent->at, plan->n_workers);

    if (absent->is_worker && !cpu_pool_has_lost(absent->worker.cpu)) {
        memmove(&plan->workers[at + 1], &plan->workers[at],
                (plan->n_workers - at) * sizeof(plan->workers[0]));
        plan->workers[at] = absent->worker;
        plan->n_workers++;
    }
    plan->absent.is_worker = false;
}

static void leave_out(struct plan *plan, size_t at)
{
    if (at == plan->n_workers)
        return;
    plan->absent.is_worker = true;
    plan->absent.worker = plan->workers[at];
    plan->absent.at = at;
    plan->n_workers--;
    memmove(&plan->workers[at], &plan->workers[at + 1],
            (plan->n_workers - at) * sizeof(plan->workers[0]));
}

bool busy_cpu_drop(uint32_t cpu, struct shares *shares)
{
    struct plan *plan = shares->plan;

    if (cpu == plan->absent.busy)
        return true;
    if (cpu && plan->n_workers == 1 && plan->workers[0].cpu == cpu)
        return false;
    take_back(plan);
    if (cpu)
        leave_out(plan, place_of(plan, cpu));
    plan->absent.busy = cpu;
    plan_index_workers(plan);
    share_rebuild(shares);
    return true;
}
