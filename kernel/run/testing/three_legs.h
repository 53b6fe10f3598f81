// SPDX-License-Identifier: MIT
/*
 * A march in three legs, up, down and up again (march_legs), over all memory in one round, with any
 * two lines of it tested together. Such a march finds all couplings between two lines if it has
 * them in both orders: a leg down is a leg up in reverse. okram is in another place in each leg,
 * and a line of such a place and one elsewhere are tested together in the two other legs:
 *
 * - okram's place in leg 0 has leg 1, down, and leg 2, up.
 * - Its place in leg 1 has legs 0 and 2, both up. In leg 0 each element does all of this place
 *   before the rest, in leg 2 after the rest.
 * - Its place in leg 2 has leg 0, up, and leg 1, down.
 *
 * Before okram moves to a place, its content is read a last time; the place that okram has left is
 * filled with what the rest holds, and takes part. At the end okram moves to a fourth place, and
 * the whole march is done on the three together. Shares, sections and slices are the same in all
 * legs (share_with_cuts): the order between CPUs and lanes depends on that (sweep/order.h).
 *
 * For example, in memory of pages 0 to 7 okram is in page 1, then in 4, then in 6, then in 2:
 *
 *     leg 0, up     okram in 1   4, then 0 2 3 5 6 7
 *     leg 1, down   okram in 4   7 6 5 3 2 1 0
 *     leg 2, up     okram in 6   0 1 2 3 5 7, then 4
 *     whole march   okram in 2   1 4 6
 *
 * Each of 1, 4 and 6 has both orders with 5: 1 in legs 1 and 2, 4 in legs 0 and 2, 6 in legs 0 and
 * 1. With each other they are in one leg only: 4 and 6 in leg 0, 1 and 6 in leg 1, 1 and 4 in leg
 * 2. That is why the whole march follows.
 */
#pragma once

#include <stdbool.h>

#include "testing/rounds.h"

/* Takes memory of the arena. Among the last before arena_close. */
void three_legs_prepare(void);

/* Whether a test is done in this way: one that counts for couplings (plan/unpaired.h). */
bool three_legs_apply_to(const struct test *test);

/*
 * Does it. False, without a warning: there were not four places, or twice okram could not move to
 * one of them; nothing counts as tested together.
 */
bool three_legs_run(struct test_run *run);
