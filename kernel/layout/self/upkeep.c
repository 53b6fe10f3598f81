// SPDX-License-Identifier: MIT
#include "self/upkeep.h"

#include "cpus/cpu_pool.h"
#include "plan/plan.h"
#include "self/self_check.h"

void upkeep_poll(void)
{
    fault_log_scrub(&fault_log);
    self_check_poll();
}

void upkeep_full(void)
{
    fault_log_writers_lost(&fault_log, cpu_pool_count_lost());
    fault_log_reconcile(&fault_log);
    self_check_all();
}
