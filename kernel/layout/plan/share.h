// SPDX-License-Identifier: MIT
/*
 * The memory that is tested now, shared out among the CPUs (plan/shares.h), and a CPU's share,
 * walked slice by slice. The boot CPU shares out, between tests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"
#include "memory/arena.h"
#include "memory/pieces.h"
#include "sweep/engine.h"

/* Takes memory of the arena. After plan_allocate. */
void share_prepare(void);

/* Shares out the main part: all that is to be tested but where okram is. */
void share_main(void);

/* Shares out where okram was and, unless it is NULL, `also` (okram is in neither). */
void share_vacated(const struct footprint *left, const struct pieces *also);

/* Shares out so many places where okram was; okram is in none of them now. */
void share_places(const struct footprint *const *place, size_t n);

/*
 * Shares out all that is to be tested, also where okram is; but walks leave okram's place out, and,
 * unless it is NULL, `absent`. They never go beyond a border of one of the n places that it is cut
 * at, PLAN_PLACES_MAX at most: so with the same places, sections and slices are the same wherever
 * okram is, if it is in one of them. STATUS_NO_SPACE: they have too many borders, and nothing is
 * shared out anew.
 */
enum status share_with_cuts(const struct footprint *const *cut_at, size_t n,
                            const struct footprint *absent);

/* Shares out plan.pieces again, among other workers. */
void share_rebuild(void);

/* The place of a CPU among the workers. */
uint32_t share_worker(uint32_t cpu);

uint64_t share_bytes(uint32_t worker);

/* The bytes of the largest share. */
uint64_t share_max_bytes(void);

/*
 * Cuts a worker's share's bytes first to first + size - 1, its parts counted one after the other,
 * into spans of adjoining memory and calls visit for each, from the lowest up, or down. They are
 * cut at the next page border of memory, so that no page is cut in two. Pages given up as aliases
 * are left out, and what share_with_cuts says. Ends early when the run is stopped.
 */
void share_walk(uint32_t worker, uint64_t first, uint64_t size, bool down,
                void (*visit)(void *ctx, struct span span), void *ctx);

/* The memory of a span of tested RAM. */
struct slice share_slice(struct span span);

/* The longest part of a span in which no page is given up as an alias; size 0: there is none. */
struct span share_longest_kept(struct span span);
