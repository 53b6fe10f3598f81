// SPDX-License-Identifier: MIT
/*
 * A guard against aliases of okram's own memory: pages under test that share cells with a page that
 * okram uses. A test of such a page would overwrite okram itself, so they are found and given up
 * just before the first write to them, whatever does it. Aliases of all other memory are found by
 * the tests. Memory that will not be written to is not read either.
 *
 * own_aliases.c says how they are found. Of a pair the page with the higher address is given
 * up. If that is okram's, the other is held (alias/aliases.h) until okram has moved away; if it
 * cannot, both are given up.
 *
 * For example, okram uses page 5, whose word is 0, and page 6, whose word is 0x12. Pages 20 and 21,
 * under test, reach the cells of 5 and 6; page 22 has the word 0x12 by chance, and page 23 has 0:
 *
 *     list    0x12 is listed, for page 6
 *     mark    20 and 23 have 0 and get marks; 21 and 22 have a listed word: suspects
 *     find    5 has the mark of 20: an alias; 5 gets its 0 back
 *     prove   a change of 21 is seen in 6: an alias; a change of 22 is not seen in 6
 *
 * 20 and 21 are given up, and the search is repeated until it finds no more.
 *
 * Not found: an address that reaches its own cells and another page's as well; part of a page if
 * the rest of it is not tested; and aliases of memory that was written to before, by firmware and
 * the loader. Memory that okram takes is looked at by self/probe.c.
 *
 * Boot CPU only, all other CPUs idle.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpus/cpu_pool.h"
#include "lib/span.h"
#include "memory/arena.h"
#include "plan/share.h"

/* The part of a CPU's share that is searched at a time, or a little more: under a second's work. */
#define OWN_ALIASES_BATCH_BYTES (UINT64_C(64) << 20)

/* Takes what memory it needs, of the arena. Right before arena_close. */
void own_aliases_prepare(const struct plan *plan);

/* What is about to be written: calls visit for each span of this worker's (plan/share.h). */
typedef void (*own_aliases_walk)(const void *job, uint32_t worker,
                                 void (*visit)(void *ctx, struct span span), void *ctx);

/* A walk, and what it reads: none of that may be a mark meanwhile. */
struct own_aliases_part {
    own_aliases_walk walk;
    const void *job;
    size_t job_bytes; /* OWN_ALIASES_JOB_MAX at most */
};

#define OWN_ALIASES_JOB_MAX 192

/*
 * Before the first writes of a test: CPUs look at the memory that the walk visits, each at its own
 * or, if that is little, some of them at that of others, too; no other work is done meanwhile.
 * Returns early when a CPU is lost (plan/lost_cpus.h): then nothing may be written.
 */
void own_aliases_guard(const struct shares *shares, struct own_aliases_part part);

/* Whether the guard has nothing left to look at. */
bool own_aliases_are_guarded(void);

/* All memory tested now has been guarded: what okram leaves when it moves was its own until then.
 */
void own_aliases_guarded_all(void);

/*
 * Before the first write to a span of these shares by anything else. Returns the number of pages
 * given up (alias/aliases.h says which), which may be outside the span, too: then it may no longer
 * be good. What has been looked at is not looked at again. Polls after each second or so.
 */
uint64_t own_aliases_guard_span(const struct shares *shares, struct span s,
                                const struct cpu_poll *poll);

/*
 * An address test has tested all memory tested now, and no two pages of it share cells any more:
 * own_aliases_find_of has nothing left to find.
 */
void own_aliases_all_known(void);

/*
 * For a place that okram could move to: its pages are marked, and the shares are searched for the
 * marks. Before a test has guarded them, only the place itself is looked at. Returns the number of
 * pages given up (alias/aliases.h says which): then the place may no longer be good. Polls, as
 * above.
 */
uint64_t own_aliases_find_of(const struct shares *shares, const struct footprint *to,
                             const struct cpu_poll *poll);
