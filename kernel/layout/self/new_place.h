// SPDX-License-Identifier: MIT
/*
 * Finds memory for okram to move to. Boot CPU only, all other CPUs idle.
 *
 * For example, okram has 10 pages of data and 2 of tables, all of one group, and pages 100 to 109
 * and 200 to 299 are free, of which 206 is bad:
 *
 *     207-218   the first run of 12 good pages; but 210 and 500 share cells, and are given up
 *     211-222   the next; but the march finds 215 bad
 *     216-227   passes: data in 216-225, tables in 226-227
 *
 * If the march finds bad pages in four places, each of the first 16 * 12 free pages is marched over
 * by itself, and the place is made of those that pass, in several runs if need be.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/status.h"
#include "memory/arena.h"
#include "cpus/cpu_pool.h"
#include "plan/share.h"
#include "plan/unpaired.h"

/* Takes memory of the arena. Among the last before arena_close. */
void new_place_prepare(const struct plan *plan);

/* A new move: no pages are rejected yet. */
void new_place_begin(void);

/* A page that must not be in any place of this move; NEW_PLACE_REJECTED_MAX at most. */
void new_place_reject_page(uint64_t page);

#define NEW_PLACE_REJECTED_MAX 4

/*
 * Outside all that is tested, or in the main part, which the shares have, but in no page of n_avoid
 * places; or, unless that is NULL, exactly a place in the main part.
 */
struct new_place_request {
    const struct shares *shares;
    const struct unpaired *unpaired; /* memory to be avoided, if there is other */
    const struct cpu_poll *poll;     /* a search may take long */
    bool outside;
    const struct footprint *const *avoid;
    size_t n_avoid;
    const struct footprint *exactly;
    bool for_later; /* it is marched over when okram moves there, as `exactly` */
};

/*
 * A place as large as `from`, of pages that no test has found bad, as requested: the boot CPU's
 * node's first, and each group of okram's memory in a place of its own (memory/groups.h), as far as
 * there are such places. It has passed a march, unless it is for later, and its pages share cells
 * with no others that are tested. STATUS_NOT_FOUND: there is none.
 */
enum status new_place_find(const struct footprint *from, struct new_place_request request,
                           struct footprint *ret);
