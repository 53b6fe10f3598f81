// SPDX-License-Identifier: MIT
/*
 * A march in three legs, up, down and up again (march_legs), on all memory in one round, and any
 * two lines of it tested together. Such a march finds all couplings between two lines that it has
 * in either order of addresses in some leg, up or down being the other's reverse. okram is in
 * another place in each leg, and the march has a line of such a place and one elsewhere together
 * in the two other legs:
 *
 * - okram's place in leg 0 has leg 1, down, and leg 2, up.
 * - Its place in leg 1 has legs 0 and 2, both up. In leg 0 each element does all of this place
 *   before the rest, in leg 2 after the rest.
 * - Its place in leg 2 has leg 0, up, and leg 1, down.
 *
 * Before okram moves to a place, what is there is read a last time; the place that it has left is
 * filled with what the rest holds, and takes part. At the end okram moves to a fourth place, and
 * the whole march is done on these three together. Shares, sections and slices are the same in all
 * legs (share_with_cuts), for the order between CPUs and lanes rests on that (sweep/order.h).
 */
#pragma once

#include <stdbool.h>

#include "testing/rounds.h"

/* Takes memory of the arena. Among the last before arena_close. */
void three_legs_prepare(void);

/* Whether a test is to be done in this way: one that counts for couplings (plan/unpaired.h). */
bool three_legs_apply_to(const struct test *test);

/*
 * Does it. False: there were not four places, or twice okram could not move to one of them; nothing
 * is said, and nothing counts as tested together.
 */
bool three_legs_run(struct test_run *run);
