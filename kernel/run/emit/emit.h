// SPDX-License-Identifier: MIT
/* The events of a run's start, the machine, the nodes, and the result. */
#pragma once

#include "boot/boot_info.h"
#include "emit/leave_code.h"
#include "emit/run_done.h"
#include "options/options.h"

void emit_start(const struct boot_info *boot, const char *cmdline);

/* Sends the machine and its nodes. After selection_make. */
void emit_machine(void);

struct kind_verdict;
struct diagnose;

/*
 * Sends what has not been sent yet, the final cover, the advice and the result. keeps_report: in
 * UEFI variables, as far as is known. Returns the exit code.
 */
enum leave_code emit_result(const struct options *options, struct run_done done,
                            const struct kind_verdict *verdict, const struct diagnose *diagnosis,
                            bool keeps_report);
