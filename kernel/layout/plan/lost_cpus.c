// SPDX-License-Identifier: MIT
#include "plan/lost_cpus.h"

#include <stddef.h>

#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/share.h"

bool lost_cpus_any(void)
{
    return cpu_pool_has_new_losses();
}

static void leave_out_online(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < machine.n_online; i++) {
        if (!cpu_pool_has_lost(machine.online[i]))
            machine.online[n++] = machine.online[i];
    }
    machine.n_online = n;
}

static void leave_out_workers(struct plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_workers; i++) {
        if (!cpu_pool_has_lost(plan->workers[i].cpu))
            plan->workers[n++] = plan->workers[i];
    }
    if (!n)
        plan->workers[n++] = (struct worker){ .node = machine.cpu_node[0] };
    plan->n_workers = n;
    plan_index_workers(plan);
}

void lost_cpus_drop(struct shares *shares)
{
    leave_out_online();
    leave_out_workers(shares->plan);
    share_rebuild(shares);
    cpu_pool_acknowledge_lost();
}

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

bool lost_cpus_set_busy(uint32_t cpu, struct shares *shares)
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
