// SPDX-License-Identifier: MIT
/* The events of a run's start, of the machine, its nodes and its modules. */
#pragma once

#include "boot/boot_info.h"
#include "run/run.h"

void machine_emit_start(const struct boot_info *boot, const char *cmdline);

/* Sends the machine, its nodes and its modules. After selection_make. */
void machine_emit(const struct run *run);
