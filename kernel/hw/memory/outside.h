// SPDX-License-Identifier: MIT
/*
 * Free memory in the order in which okram takes it: what is not tested first, so that okram need
 * not move.
 */
#pragma once

#include <stddef.h>

#include "lib/span.h"

/* The most spans that order_untested_first makes. */
#define OUTSIDE_MAX(n_free, n_tested) ((n_free) + 2 * (n_tested))

/*
 * Cuts the n_free spans at the borders of the n_tested ones (both sorted and disjoint) and writes
 * those outside, then those inside. Returns their number.
 */
size_t order_untested_first(const struct span *free, size_t n_free, const struct span *tested,
                            size_t n_tested, struct span *ret_order);
