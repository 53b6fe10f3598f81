// SPDX-License-Identifier: MIT
/*
 * Free memory in the order in which okram takes it: what is not tested first, so that okram need
 * not move.
 */
#pragma once

#include <stddef.h>

#include "lib/span.h"

/*
 * What of the n free spans is outside of the n_cut ones (both sorted and disjoint); ret_outside has
 * room for n + n_cut. Returns how many spans that is.
 */
size_t spans_outside(const struct span *free, size_t n, const struct span *cut, size_t n_cut,
                     struct span *ret_outside);

/* The most spans that order_untested_first makes. */
#define OUTSIDE_MAX(n_free, n_tested) ((n_free) + 2 * (n_tested))

/*
 * Cuts the n_free spans at the borders of the n_tested ones (both sorted and disjoint) and writes
 * those outside, then those inside. Returns their number.
 */
size_t order_untested_first(const struct span *free, size_t n_free, const struct span *tested,
                            size_t n_tested, struct span *ret_order);
