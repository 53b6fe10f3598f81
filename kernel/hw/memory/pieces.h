// SPDX-License-Identifier: MIT
/*
 * All RAM of the machine, cut into pieces: those that will be tested, and those that will not, each
 * with the reason. The pieces are disjoint and sorted, and together they are always all that was
 * added.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"

struct piece {
    struct span span;
    const char *why; /* why it is not tested; NULL: it is */
};

struct pieces {
    struct piece *piece;
    size_t n, max;
};

/* Adds a piece after the last one. STATUS_NO_SPACE: max is reached, nothing was added. */
enum status pieces_add(struct pieces *p, struct span span, const char *why);

/*
 * Excludes what was to be tested within span, for that reason; pieces are split at its borders.
 * STATUS_NO_SPACE: there is no room to split, and whole pieces are excluded.
 */
enum status pieces_exclude(struct pieces *p, struct span span, const char *why);

/* Excludes what is less than a line of 64 bytes at either end of a piece. */
enum status pieces_trim_to_lines(struct pieces *p, const char *why);

/* Joins pieces that adjoin and have the same reason. */
void pieces_join(struct pieces *p);

/*
 * Fills `ret`, whose old pieces are dropped, with what of `p` is to be tested within the n spans,
 * sorted and disjoint. STATUS_NO_SPACE: ret has no room for all.
 */
enum status pieces_within(const struct pieces *p, const struct span *span, size_t n,
                          struct pieces *ret);

/* Like pieces_within, with what is to be tested outside the n spans, which may be in any order. */
enum status pieces_outside(const struct pieces *p, const struct span *span, size_t n,
                           struct pieces *ret);

/*
 * So many bytes within a span that are in one piece of `p` to be tested, and in none of `avoid`;
 * the lowest. Size 0: there are none.
 */
struct span pieces_clear_of(const struct pieces *p, const struct pieces *avoid, struct span within,
                            uint64_t bytes);

uint64_t pieces_tested_bytes(const struct pieces *p);
uint64_t pieces_untested_bytes(const struct pieces *p);
