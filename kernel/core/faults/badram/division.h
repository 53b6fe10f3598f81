// SPDX-License-Identifier: MIT
/*
 * Bad pages divided into groups: each group becomes the smallest pattern that covers it.
 *
 * Every cover comes from such a division, for each of its patterns may shrink to the pages that are
 * counted as its own. So the search for a cover (split.h, anneal.h) is one for a division. What is
 * divided are not pages but *atoms*: patterns that hold bad pages only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/cost.h"

#define DIVISION_ATOMS_MAX  4096
#define DIVISION_GROUPS_MAX 1024

/* Which values the atoms of a group take in each address bit. A free bit takes both. */
struct division_bits {
    uint64_t zero, one;             /* in some atom */
    uint64_t zero_twice, one_twice; /* in more than one */
};

struct division_group {
    uint16_t first; /* of its atoms; DIVISION_NONE when it is empty */
    int64_t cost;   /* 0 when it is empty */
    struct division_bits bits;
};

#define DIVISION_NONE UINT16_MAX

struct division {
    struct cost_rule rule;
    size_t n_atoms, n_groups;
    struct pattern atom[DIVISION_ATOMS_MAX];
    uint16_t group_of[DIVISION_ATOMS_MAX];
    uint16_t next[DIVISION_ATOMS_MAX]; /* in the same group */
    struct division_group group[DIVISION_GROUPS_MAX];
};

void division_bits_add(struct division_bits *bits, struct pattern atom);

/* The smallest pattern that covers what was added, at least one atom. */
struct pattern division_bits_pattern(const struct division_bits *bits);

/* The same when atom, which was added before, is left out, and is not the only one. */
struct pattern division_bits_without(const struct division_bits *bits, struct pattern atom);

/* Makes the groups of group_of[], all below n_groups, and returns the sum of their costs. */
int64_t division_regroup(struct division *d, size_t n_groups);

/* Divides by a list of patterns: each atom must be within one, and goes to the first such. */
int64_t division_by_patterns(struct division *d, const struct pattern *list, size_t n);

/* Returns how many atoms were looked at. */
size_t division_move(struct division *d, size_t atom, size_t to);

/* The patterns of all groups that are not empty. Returns their number. */
size_t division_patterns(const struct division *d, struct pattern *ret_list);
