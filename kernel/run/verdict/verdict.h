// SPDX-License-Identifier: MIT
/* The result of a run, as an event and as its exit code. */
#pragma once

#include "verdict/leave_code.h"
#include "verdict/run_done.h"
#include "run/run.h"

struct diagnose_found;
struct diagnose;

/*
 * Sends what has not been sent yet, the final cover, the advice and the result. keeps_report: in
 * UEFI variables, as far as is known. Returns the exit code.
 */
enum leave_code verdict_emit(struct run *run, struct run_done done,
                             const struct diagnose_found *found, const struct diagnose *diagnosis,
                             bool keeps_report);
