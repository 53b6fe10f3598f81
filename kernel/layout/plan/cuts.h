// SPDX-License-Identifier: MIT
/*
 * Memory that is cut at the borders of some parts of it (cuts), each of which is kept or left out.
 * Spans are cut in the same places whichever cuts are left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"

enum {
    CUT_KEPT = 1,
    CUT_LEFT_OUT,
};

/* No word of it is 0, if its base is not: self/own_search.h. */
struct cut {
    struct span span; /* not empty */
    uint64_t state;   /* CUT_KEPT or CUT_LEFT_OUT */
};

/*
 * Takes memory from the beginning of `left`, or down: from its end, as far as it is in one cut, or
 * in none. left is not empty. first to past - 1: the cuts, disjoint, by address.
 */
struct span cuts_next(const struct cut *first, const struct cut *past, struct span *left, bool down,
                      bool *ret_left_out);
