// SPDX-License-Identifier: MIT
/*
 * Tests that have gone over all memory but okram's own, and have missed that. okram moves once for
 * several of them, so that it moves little of the time, and each then goes over what okram has
 * left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "testing/counts.h"
#include "testing/rounds.h"

/* Such a test, with what it has done until now. Tests of one pass. */
void deferred_add(const struct test_run *run, struct counts counts);

/* Whether they have taken so long that a move takes little time next to them. */
bool deferred_are_due(void);

/*
 * okram moves, all of them go over what it has left, and their events are sent, also when the run
 * is stopped. run: a test of this pass; becomes the last of these.
 */
void deferred_finish(struct test_run *run);
