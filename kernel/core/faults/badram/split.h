// SPDX-License-Identifier: MIT
/*
 * A division from above: all atoms are one group at first, and the group whose halves cost least
 * besides the whole is split by an address bit, again and again.
 *
 * Memory controllers select a bank by the XOR of address bits. The pages of such a bank fill no
 * pattern, and splitting by no single bit gains anything. Then the group is split along the parity
 * of fewest bits that all its atoms share: when all these bits but one are fixed, so is the last.
 */
#pragma once

#include <stddef.h>

#include "badram/division.h"

/* Memory for the splits found. */
struct split_work {
    struct {
        int64_t gain;
        uint64_t bit; /* 0: none to split by */
        size_t least; /* atoms in the smaller half */
    } best[DIVISION_GROUPS_MAX];
};

/* Divides the atoms into at most max_groups, and returns what they cost. */
int64_t split_division(struct division *d, struct split_work *work, size_t max_groups);
