// SPDX-License-Identifier: MIT
/*
 * Sets of physical memory: spans by address, disjoint, none empty, in an array of their owner's.
 * No span ends above 2^64 - 1.
 *
 * What is not such a set has a container of its own: pages in the order of their use
 * (memory/page_list.h), memory with a reason or a state for each part (memory/pieces.h,
 * plan/share.h), pages by number (log/page_index.h), and ranges that may lose good pages
 * (bootcfg/ranges.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/span.h"

struct spans {
    struct span *span; /* room for max */
    size_t n, max;
};

/*
 * Adds memory, some of which may be in the set already: spans that overlap or adjoin become one.
 * False: there is no room for another span, and nothing was added.
 */
bool spans_add(struct spans *set, struct span span);

/*
 * Adds a span after the others, unless it is empty, and joins none: for sets that are made in
 * order, lists in another order, and borders that have to stay. False: there is no room.
 */
bool spans_append(struct spans *list, struct span span);

/* By address. */
void spans_sort(struct spans *list);

/* Appends what of a is within b, or outside of it. False: ret has no room for all of it. */
bool spans_within(const struct spans *a, const struct spans *b, struct spans *ret);
bool spans_outside(const struct spans *a, const struct spans *b, struct spans *ret);

/* What spans_within and spans_outside append at most, for n_a and n_b spans. */
#define SPANS_CUT_MAX(n_a, n_b) ((n_a) + (n_b))

uint64_t spans_bytes(const struct spans *set);

/* The index of the first span that ends above an address; set->n: there is none. */
size_t spans_after(const struct spans *set, uint64_t addr);

/* The lowest part of `span` that is in the set, as far as it adjoins; size 0: there is none. */
struct span spans_first_in(const struct spans *set, struct span span);

/*
 * So many bytes within a span that are in one span of the set, and in none of `avoid`; the lowest.
 * Size 0: there are none.
 */
struct span spans_clear_of(const struct spans *set, const struct spans *avoid, struct span within,
                           uint64_t bytes);

/* Calls visit for bytes first to first + size - 1 of the set, counted from its lowest one. */
void spans_walk(const struct spans *set, uint64_t first, uint64_t size,
                void (*visit)(void *ctx, struct span span), void *ctx);
