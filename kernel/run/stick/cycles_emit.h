// SPDX-License-Identifier: MIT
/* This run as one of several starts (options/cycles.h). */
#pragma once

#include "boot/boot_info.h"
#include "run/run.h"

/* Once the modules are known: warns if they are not those of the starts before. */
void cycles_emit_begin(struct run *run);

/*
 * Once there is a stick, and before UEFI's services are used elsewhere: whether cold starts are
 * possible; and by BIOS keeps on the stick that this start begins.
 */
void cycles_emit_start(struct run *run, const struct boot_info *boot);

/*
 * Before the result: counts this start, and sends the event. is_cut: a person has ended the tests
 * before a whole pass. keeps_report: in UEFI variables.
 */
void cycles_emit_end(struct run *run, bool is_cut, bool keeps_report);
