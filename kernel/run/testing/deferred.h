// SPDX-License-Identifier: MIT
/*
 * Tests that have covered all memory except okram's own. okram moves once for several of them,
 * because moves cost time, and each test then covers what okram has left.
 */
#pragma once

#include <stdbool.h>

#include "testing/counts.h"
#include "testing/rounds.h"

/* Adds such a test, with its counts until now. All are of one pass. */
void deferred_add(const struct test_run *run, struct counts counts);

/* Whether they have taken so long that a move adds little time. */
bool deferred_are_due(void);

/*
 * okram moves, all of them cover what it has left, and their events are sent, even if the run is
 * stopped. run: a test of this pass; becomes the last of these.
 */
void deferred_finish(struct test_run *run);
