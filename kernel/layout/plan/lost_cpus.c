// SPDX-License-Identifier: MIT
#include "plan/lost_cpus.h"

#include "cpus/cpu_pool.h"
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
