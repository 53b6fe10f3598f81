// SPDX-License-Identifier: MIT
/*
 * Bad pages divided into groups: each group becomes the smallest pattern that covers it.
 *
 * Every cover comes from such a division, for each of its patterns may shrink to the pages that are
 * counted as its own. So the search for a cover is one for a division: from above, by splitting, or
 * from any other, by annealing. What is divided are not pages but *atoms*: patterns that hold bad
 * pages only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"

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

/* Divides by a list of patterns: each atom must be within one, and goes to the first such. */
int64_t division_by_patterns(struct division *d, const struct pattern *list, size_t n);

/* The patterns of all groups that are not empty. Returns their number. */
size_t division_patterns(const struct division *d, struct pattern *ret_list);

/* Memory for the splits found. */
struct split_work {
    struct {
        int64_t gain;
        uint64_t bit; /* 0: none to split by */
        size_t least; /* atoms in the smaller half */
    } best[DIVISION_GROUPS_MAX];
};

/*
 * Divides the atoms into at most max_groups, and returns what they cost. They begin as one group;
 * the group whose halves cost least besides the whole is split by an address bit, again and again.
 *
 * Memory controllers select a bank by the XOR of address bits. The pages of such a bank fill no
 * pattern, and splitting by no single bit gains anything. Then the group is split along the parity
 * of fewest bits that all its atoms share: when all these bits but one are fixed, so is the last.
 */
int64_t division_split(struct division *d, struct split_work *work, size_t max_groups);

/* Memory to remember the best division in. */
struct anneal_best {
    uint16_t group_of[DIVISION_ATOMS_MAX];
};

/*
 * Makes a division, by group_of[] in n_groups, cheaper by simulated annealing (Kirkpatrick, Gelatt,
 * Vecchi 1983), and returns its cost: atoms move from group to group at random; a move that costs
 * something is taken with a probability that falls with its cost, and more and more so. The
 * temperature begins at `heat` times the mean cost of a group: more of it leads further away from
 * where the search began. It ends when `steps` atoms have been looked at.
 *
 * The random generator has a fixed seed: the same bad pages always give the same cover.
 */
int64_t division_anneal(struct division *d, size_t n_groups, struct anneal_best *best,
                        uint64_t steps, double heat);
