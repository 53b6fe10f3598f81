// SPDX-License-Identifier: MIT
/* What counts say of what was not counted, with 95 % confidence. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct confidence {
    double low, high;
};

/*
 * Which part of all there is, where k of n were so: exact limits (C. J. Clopper and E. S. Pearson,
 * "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika
 * 26, 1934). Half of the rest is on each side; all of it on one where it is none, or all: such a
 * limit is one-sided, and is to be called "at most" or "at least". So they hold for 95 % of all n
 * or more, but only for 92.5 % or more where about 3 of n, or all but 3, are expected. k <= n; n 0:
 * anything from 0 to 1.
 */
struct confidence confidence_part(uint32_t k, uint32_t n);

/*
 * What a run without a fault excludes, by the rule of three (Hanley and Lippman-Hand, "If Nothing
 * Goes Wrong, Is Everything All Right?", JAMA 1983): what shows in a part p of n reads is missed by
 * all of them with a probability of (1 - p)^n <= e^-pn, which is below 5 % where p is 3/n or more.
 * For few reads 3/n is more than what is excluded in truth: the report is on the safe side. All 0:
 * nothing can be said.
 */
struct excluded {
    uint64_t reads; /* of each cell */
    uint64_t
        one_in;     /* for each cell: a fault that shows in more than one of this number of reads */
    double seconds; /* in which it was read */
    double per_hour; /* for all memory: errors at random times, more of them an hour than this */
};

/* False, and all 0: fewer than 3 reads, which exclude nothing, or no time. */
bool excluded_make(uint64_t reads, double seconds, struct excluded *ret);
