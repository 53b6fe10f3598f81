// SPDX-License-Identifier: MIT
/*
 * Findings about a machine's memory: warnings of one sentence each, with the numbers behind it. A
 * machine that is as it should be has none.
 *
 * Only what is sure enough is reported. Firmware keeps some 100 MiB of every machine for itself,
 * and graphics in the CPU may take a few GiB: that is not a finding (see findings_slots.c). Modules
 * are named as the board names their slots.
 */
#pragma once

#include "findings/findings_input.h"
#include "lib/warn.h"

/*
 * What is known without measuring: memory that is installed but cannot be used, and the slots it
 * may be in; modules that run slower than rated; ECC that the modules have but that is off; several
 * sockets but one node; unequal nodes.
 */
void findings_static(const struct findings_input *in, const struct warnings *warnings);

/*
 * What follows from the measured numbers: memory that is no faster for its own node's CPUs than
 * memory of another; a node whose own memory is well slower than others'; memory far below what
 * the HMAT promises, and arrays that a memory-side cache holds, if only in part.
 */
void findings_measured(const struct findings_input *in, const struct warnings *warnings);
