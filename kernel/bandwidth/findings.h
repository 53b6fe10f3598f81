// SPDX-License-Identifier: MIT
/*
 * What a person should know of a machine's memory, in words: one sentence each, with the number
 * behind it. They are given as warnings; nothing is said of a machine that is as it should be.
 *
 * Only what is sure enough is said. Firmware keeps some 100 MiB of every machine for itself, and
 * graphics in the CPU may take a few GiB: that is no finding (see findings_slots.c). Modules are
 * named as the board names their slots.
 */
#pragma once

#include "bandwidth/findings_input.h"
#include "lib/warn.h"

/*
 * What is known without measuring: memory that is installed but cannot be used, and the slots it
 * may be in; modules that run slower than rated; several sockets but one node; unequal nodes.
 */
void findings_before(const struct findings_input *in, const struct warnings *warnings);

/*
 * What only the measured numbers tell: memory that is no faster for its own node's CPUs than
 * memory of another; a node whose own memory is well slower than others'; memory far below what
 * the HMAT promises, and arrays that a memory side cache holds, if only in part.
 */
void findings_after(const struct findings_input *in, const struct warnings *warnings);
