// SPDX-License-Identifier: MIT
/*
 * Which part of all there is, by some of them: exact limits with 95 % confidence (C. J. Clopper and
 * E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
 * Binomial", Biometrika 26, 1934). Half of the rest is on each side; all of it on one where it is
 * none, or all.
 */
#pragma once

#include <stdint.h>

struct confidence {
    double low, high;
};

/* Where k of n were so. k <= n; n 0: anything from 0 to 1. */
struct confidence confidence_part(uint32_t k, uint32_t n);
