// SPDX-License-Identifier: MIT
/* Logs one fault as the line operations do: its record, its page and the counts. */
#pragma once

#include "log/fault_log.h"

static inline void add_fault(struct fault_log *log, const struct fault *fault)
{
    struct fault_tally tally = { .test = fault->test };

    fault_log_add_record(log, fault);
    fault_log_tally(log, &tally, fault->addr, fault->expected ^ fault->found);
    fault_log_add_tally(log, &tally);
}
