// SPDX-License-Identifier: MIT
/*
 * A guard against aliases of okram's own memory: pages under test that share cells with a page that
 * okram uses. A test of such a page would overwrite okram itself, so they are found and given up
 * just before the first write to them, whatever writes first. Aliases of all other memory are the
 * tests' to find. Memory that is not about to be written to is not read either.
 *
 * How they are found is in self/own_search.h. Both pages of a pair are given up, whatever else is
 * an alias.
 *
 * Not seen: an address that reaches its own cells and another page's, too; part of a page, where
 * the rest of it is not tested; and aliases of memory that was written to before, by firmware and
 * the loader. Memory that okram takes is looked at by self/candidate_pages.h.
 *
 * Boot CPU only, all other CPUs without work.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"
#include "memory/arena.h"
#include "plan/share.h"

/* Of a CPU's share, what is looked at at a time, or a little more: less than a second's work. */
#define OWN_ALIASES_BATCH_BYTES (UINT64_C(64) << 20)

/* Takes what memory it needs, of the arena. Right before arena_close. */
void own_aliases_prepare(void);

/* What is about to be written: calls visit for each span of this worker's (plan/share.h). */
typedef void (*own_aliases_walk)(const void *job, uint32_t worker,
                                 void (*visit)(void *ctx, struct span span), void *ctx);

/* A walk, and what it takes: of this memory nothing else may be a mark meanwhile. */
struct own_aliases_part {
    own_aliases_walk walk;
    const void *job;
    size_t job_bytes; /* OWN_ALIASES_JOB_MAX at most */
};

#define OWN_ALIASES_JOB_MAX 192

/*
 * Before the first writes of a test: CPUs look at what the walk says, all of them at their own or,
 * where that is little, some of them also at that of others; no other work is done meanwhile.
 * Returns early when a CPU is lost (plan/lost_cpus.h): then nothing may be written.
 */
void own_aliases_guard(const struct shares *shares, struct own_aliases_part part);

/* Whether the guard has nothing left to look at. */
bool own_aliases_are_guarded(void);

/* All memory tested now has been guarded: what okram leaves when it moves was its own until then.
 */
void own_aliases_guarded_all(void);

/*
 * Before the first write to a part of what these shares have by anything else. Returns how many
 * pages were given up (alias/aliases.h says which), not all of them in this part: then it may no
 * longer be good. What has been looked at is not looked at again.
 */
uint64_t own_aliases_guard_span(const struct shares *shares, struct span s);

/*
 * An address test has tested all memory tested now, and no two pages of it share cells any more:
 * own_aliases_find_of has nothing to look for any more.
 */
void own_aliases_all_known(void);

/*
 * For a place that okram could move to: its pages are marked, and looked for in what these shares
 * have. Before a test has guarded that, only the place itself is looked at. Returns how many pages
 * were given up (alias/aliases.h says which): then the place may no longer be good.
 */
uint64_t own_aliases_find_of(const struct shares *shares, const struct footprint *to);
