// SPDX-License-Identifier: MIT
/*
 * RAM to which MTRRs do not give the type write-back, and RAM whose type differs between CPUs: a
 * finding each, with the cost as measured. Boot CPU, once, after speeds_measure.
 */
#pragma once

#include "calibration/calibration.h"
#include "sweep/line_ops.h"

/*
 * Sends the findings as warnings. If a hypervisor's firmware has left MTRRs off, they say nothing,
 * and there are no findings.
 */
void memory_types_report(struct trials trials, const struct line_ops *ops);
