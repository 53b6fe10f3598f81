// SPDX-License-Identifier: MIT
/* The events that say what the run is about: its start, the machine, the nodes, and the result. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"
#include "run/leave.h"

void emit_start(const struct boot_info *boot, const char *cmdline);

/* Machine and nodes. After selection_make. */
void emit_machine(void);

/* What was never told yet, the final cover and the result. Returns how to leave. */
enum leave_code emit_result(const struct options *options);
