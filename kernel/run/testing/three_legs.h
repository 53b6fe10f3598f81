// SPDX-License-Identifier: MIT
/*
 * A march in three legs, up, down and up again (march_legs), over all memory in one round, with any
 * two lines of it tested together. Such a march finds all couplings between two lines if it has
 * them in both orders. Of the rest of memory it has: shares, sections and slices are the same in
 * all legs (share_with_cuts), and all three legs together order what is in them (sweep/order.h).
 *
 * okram is in another place in each leg, so each of these places misses a leg. Two legs in the
 * order of sections and lanes are not enough: some pairs of lines have the same order in both, and
 * some have no order in one of them. So each element does whole places before the rest of memory,
 * or after it, each place before it in one leg and after it in another:
 *
 *             okram in   each element does
 *     leg 0   place 0    places 1 and 2, the rest
 *     leg 1   place 1    place 0, the rest, place 2
 *     leg 2   place 2    the rest, places 0 and 1
 *
 * Before okram moves to a place, its content is read a last time; the place that okram has left is
 * filled with what the rest holds, and takes part. At the end okram moves to a fourth place, and
 * the whole march is done on the three together: within a place, and with each other, lines have
 * only then both orders.
 *
 * For example, in memory of pages 0 to 7 okram is in page 1, then in 4, then in 6, then in 2:
 *
 *     leg 0, up     okram in 1   4 6, then 0 2 3 5 7
 *     leg 1, down   okram in 4   1, then 7 5 3 2 0, then 6
 *     leg 2, up     okram in 6   0 2 3 5 7, then 1 4
 *     whole march   okram in 2   1 4 6
 *
 * Places 1 and 2 are chosen before leg 0, for the borders of all places cut slices. If one of them
 * is found bad before okram moves there, the whole march begins again with others, three times at
 * most. Any other place will do for the fourth.
 */
#pragma once

#include <stdbool.h>

#include "testing/rounds.h"

/* Takes memory of the arena. Among the last before arena_close. */
void three_legs_prepare(void);

/* Whether a test is done in this way: one that counts for couplings (plan/unpaired.h). */
bool three_legs_apply_to(const struct run *run, const struct test *test);

/*
 * Does it. False, without a warning: there were not four places, or each time okram could not move
 * to one of them; nothing counts as tested together.
 */
bool three_legs_run(struct test_run *run);
