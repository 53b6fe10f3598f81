// SPDX-License-Identifier: MIT
/*
 * How pages under test that share cells with okram's own are found: the steps of
 * self/own_aliases.h.
 *
 * One word of each page is read from DRAM (self/pages_alias.h). What looks like a page of
 * okram's own is not yet an alias: it is one when a change of the one word is seen in the other.
 * Words that are 0 in both are distinguished by a mark in the page under test: of okram's own pages
 * only those that are aliases change, and are restored in the next step.
 *
 * From own_search_list until own_search_find has returned, no CPU may do anything but these steps:
 * any word of okram's own may be a mark meanwhile. Boot CPU only, except own_search_mark.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "alias/aliases.h"
#include "lib/span.h"
#include "memory/arena.h"

/* Takes what memory it needs, of the arena. */
void own_search_prepare(void);

/*
 * A new search, which adds to these aliases. in_use: what its caller uses while words of okram's
 * own may be marks, 8 pieces at most; see self/pages_alias.h.
 */
void own_search_begin(struct aliases *aliases, const struct span *in_use, size_t n);

/* Lists okram's own words, as they are now. */
void own_search_list(void);

/*
 * Reads the pages whose word is in a span of memory under test, and marks what is 0. All CPUs may
 * do this at the same time, on separate memory.
 */
void own_search_mark(struct span s);

/* Whether own_search_mark has seen a word like one of okram's own since own_search_list. */
bool own_search_has_suspects(void);

/*
 * Restores own pages that have become marks, and adds them as aliases. Of several pages that share
 * cells with the same page of okram's own, one is found.
 */
void own_search_find(void);

/* Adds the aliases among the pages whose words are in the span and are like one of okram's own. */
void own_search_prove(struct span s);

/* Marks all pages of a place that okram is not in. */
void own_search_mark_place(const struct footprint *place);

/*
 * Adds the pages whose words are in a span outside that place and that share cells with pages of
 * it.
 */
void own_search_find_place(const struct footprint *place, struct span s);
