// SPDX-License-Identifier: MIT
/*
 * Whether what changed below 1 MiB (external/low_memory.h) is a fault of cells, or was written by
 * firmware: a cell fails whenever it is tested; firmware writes now and then, and what suits it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sweep/engine.h"

#define LOW_RETEST_TRIES 8

/*
 * Tests the page again, LOW_RETEST_TRIES times, by March C- over solid and alternating bits, which
 * takes a millisecond at most; its content is lost. True: in each try the word at addr was wrong in
 * a bit that is the same in all. Ends with the first try in which it was right. While no other CPU
 * works.
 */
bool low_retest_is_fault(const struct line_ops *ops, bool has_clflushopt, struct slice page,
                         uint64_t addr);
