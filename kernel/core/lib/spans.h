// SPDX-License-Identifier: MIT
/* Lists of physical ranges. */
#pragma once

#include <stddef.h>

#include "lib/span.h"

/* Adds [base, end) to the n spans, unless it is empty. Returns how many there are then. */
size_t spans_add(struct span *spans, size_t n, uint64_t base, uint64_t end);

/*
 * What of the n spans is outside of the n_cut ones (both sorted and disjoint); ret_outside has room
 * for n + n_cut. Returns how many spans that is.
 */
size_t spans_outside(const struct span *spans, size_t n, const struct span *cut, size_t n_cut,
                     struct span *ret_outside);

/* The most spans that spans_outside_first makes. */
#define SPANS_OUTSIDE_FIRST_MAX(n, n_cut) ((n) + 2 * (n_cut))

/*
 * Cuts the n spans at the borders of the n_cut ones (both sorted and disjoint) and writes what is
 * outside of these, then what is inside. Returns their number.
 */
size_t spans_outside_first(const struct span *spans, size_t n, const struct span *cut, size_t n_cut,
                           struct span *ret_order);
