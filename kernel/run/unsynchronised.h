// SPDX-License-Identifier: MIT
/*
 * Tests that CPUs do without keeping step: each on its own slices.
 */
#pragma once

#include "run/reporter.h"
#include "sweep/data.h"

/* Block move: every CPU on its share. */
void unsynchronised_block_move(const struct data *data, struct test_place place);

/*
 * Row hammer, for so many seconds: one CPU a node, so that CPUs do not take each other's time in
 * the banks, with all patterns in turn, each at other places of the node's tested memory.
 */
void unsynchronised_hammer(uint32_t seconds, const struct data *data, struct test_place place);
