#include "run/upkeep.h"

#include "run/crew.h"
#include "run/plan.h"
#include "run/self_check.h"

void upkeep_poll(void)
{
    fault_log_scrub(&fault_log);
    self_check_poll();
}

void upkeep_settle(void)
{
    fault_log_writers_lost(&fault_log, crew_count_lost());
    fault_log_settle(&fault_log);
    self_check_all();
}
