// SPDX-License-Identifier: MIT
/*
 * RAM to which MTRRs do not give the type write-back, and RAM of which CPUs have different types:
 * a finding each, with what it costs by measurement. Boot CPU, once, after speeds_measure.
 */
#pragma once

#include "plan/share.h"
#include "sweep/line_ops.h"

/*
 * Sends the findings as warnings. Where a hypervisor's firmware has left MTRRs off, they say
 * nothing, and there is none.
 */
void memory_types_report(const struct shares *shares, const struct line_ops *ops);
