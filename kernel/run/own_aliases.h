/*
 * A guard against aliases of okram's own memory: pages under test that share cells with a page that
 * okram lives in. To test such a page would be to write over okram itself, so they are found and
 * given up before anything is written to them. Aliases of all other memory are the tests' to find.
 *
 * One word of each page is read, at the same offset in all, from DRAM. What looks like a page of
 * okram's own is not yet an alias: it is one when a change of the one word is seen in the other.
 *
 * Not seen: an address that reaches its own cells and another page's, too; and aliases of memory
 * that was written to before, by firmware, the loader, and the march before okram lives anywhere.
 *
 * Boot CPU only, all other CPUs without work.
 */
#pragma once

#include <stdint.h>

#include "memory/arena.h"

/* Takes what memory it needs, of the arena. Right before arena_close. */
void own_aliases_prepare(void);

/*
 * For the place where okram lives as the run begins, before anything is written to memory under
 * test. Words that are 0 in both are told apart by a mark in the page under test, a GiB at a time:
 * of okram's own pages only those that are aliases change, and are put right after it. Of several
 * pages that share cells with the same of okram's one is found at a time. Both pages of a pair are
 * given up, whatever else is an alias.
 */
void own_aliases_find(void);

/* Tells of the aliases found since the last call. */
void own_aliases_tell(void);

/*
 * An address test has gone over all memory tested now, and left no two pages of it that share
 * cells: own_aliases_find_of has nothing to look for any more.
 */
void own_aliases_all_known(void);

/*
 * For a place that okram could move to, which is part of the memory tested now: its pages are
 * marked. Returns how many pages were given up (faults/aliases.h says which), and tells of them:
 * then the place may no longer be good.
 */
uint64_t own_aliases_find_of(const struct arena_place *to);
