// SPDX-License-Identifier: MIT
#include "self/upkeep.h"

#include "cpus/cpu_pool.h"
#include "self/self_check.h"

void upkeep_poll(struct fault_log *log)
{
    fault_log_scrub(log);
    self_check_poll();
}

void upkeep_full(struct fault_log *log)
{
    fault_log_writers_lost(log, cpu_pool_count_lost());
    fault_log_reconcile(log);
    self_check_all();
}
