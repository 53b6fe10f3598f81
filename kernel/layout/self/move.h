// SPDX-License-Identifier: MIT
/*
 * okram moves to other memory, so that the tests reach the memory that it was in. All CPUs move
 * together; only the page tables change.
 */
#pragma once

#include "lib/status.h"
#include "memory/arena.h"
#include "cpus/cpu_pool.h"
#include "plan/share.h"
#include "plan/unpaired.h"

/* What a move takes of the run. */
struct mover {
    struct shares *shares; /* of the main part */
    const struct unpaired *unpaired;
    const struct cpu_poll *poll; /* while a place is searched for */
};

/* Takes what memory it needs, of the arena. Among the last before arena_close. */
void move_prepare(const struct plan *plan);

/*
 * Moves to memory of the main part (plan/plan.h), which the shares have, or if okram is outside of
 * what is tested to other such memory, of pages that no test has found bad: the boot CPU's node's
 * first, and each group of okram's memory in a place of its own (memory/groups.h), as far as there
 * are such places; not to any page of `avoid`, unless that is NULL. Between tests only, with all
 * CPUs idle. ret_left: where okram was before; valid until it has tried to move twice more.
 *
 * If okram stays where it is, a warning says why, once: STATUS_NOT_FOUND, there is no good place
 * that is large enough; STATUS_INVALID, every copy differed from what had been written;
 * STATUS_TIMEOUT, a CPU was late, and okram will not try again. CPUs that do not answer at all are
 * lost (plan/lost_cpus.h), and the others move without them. The shares stay those of the main part
 * as it was before, among the CPUs that are left. With `avoid` there is no warning, because okram
 * may still move without it.
 */
enum status move_away(struct mover mover, const struct footprint *avoid,
                      const struct footprint **ret_left);

/*
 * Memory that move_away would move to, in no page of n places, before the march: that is done by
 * move_to. ret has its room from footprint_make. STATUS_NOT_FOUND: there is none.
 */
enum status move_choose(struct mover mover, const struct footprint *const *avoid, size_t n,
                        struct footprint *ret);

/*
 * Like move_away, but exactly to `place`. It is marched over first; STATUS_NOT_FOUND: it is no
 * longer good. There is no warning.
 */
enum status move_to(struct mover mover, const struct footprint *place,
                    const struct footprint **ret_left);

/*
 * Before the first test: if okram is in what is to be tested, and range= or nodes= leave out enough
 * good memory, it moves there, and need not move again: the main part is then all that is tested.
 * Otherwise it stays, without a warning. The shares are those of the main part, before and after.
 */
void move_out_of_range(struct mover mover);
