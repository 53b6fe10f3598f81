// SPDX-License-Identifier: MIT
/*
 * All RAM of the machine, cut into pieces: those that will be tested, and those that will not, each
 * with the reason. The pieces are disjoint and sorted, and together they are always all that was
 * added.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/spans.h"
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

/* Appends the pieces to be tested. STATUS_NO_SPACE: ret has no room for all. */
enum status pieces_tested(const struct pieces *p, struct spans *ret);

uint64_t pieces_tested_bytes(const struct pieces *p);
uint64_t pieces_untested_bytes(const struct pieces *p);
