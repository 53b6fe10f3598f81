// SPDX-License-Identifier: MIT
/* The events of a run's start, the machine, the nodes, and the result. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"
#include "run/leave.h"

void emit_start(const struct boot_info *boot, const char *cmdline);

/* Machine and nodes. After selection_make. */
void emit_machine(void);

/* What has not been sent yet, the final cover and the result. Returns the exit code. */
enum leave_code emit_result(const struct options *options);
