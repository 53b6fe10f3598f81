// SPDX-License-Identifier: MIT
/* The events of a run's start, of its identity, of the machine, its nodes and its modules. */
#pragma once

#include "boot/boot_info.h"
#include "run/run.h"

void machine_emit_start(const struct boot_info *boot, const char *cmdline);

/*
 * Which run of which machine the report is of, once SMBIOS is read. Not with identity=off. The
 * number of the run is made of what the CPU's random number generator, the date, the machine's UUID
 * and the time stamp counter give; options do not change it.
 */
void machine_emit_identity(const struct boot_info *boot, enum option_identity identity);

/* Sends the machine, its nodes and its modules. After selection_make. */
void machine_emit(const struct run *run);
