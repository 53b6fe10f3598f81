// SPDX-License-Identifier: MIT
/*
 * Makes a division cheaper by simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983): atoms move
 * from group to group at random; a move that costs something is taken with a probability that falls
 * with its cost, and more and more so.
 *
 * The random generator has a fixed seed: the same bad pages always give the same cover.
 */
#pragma once

#include <stdint.h>

#include "badram/division.h"

/* Memory to remember the best division in. */
struct anneal_best {
    uint16_t group_of[DIVISION_ATOMS_MAX];
};

/*
 * Tries moves until `steps` atoms have been looked at, and leaves the best division that was met.
 * The temperature begins at `heat` times the mean cost of a group: more of it leads further away
 * from where the search began. Returns the cost.
 */
int64_t anneal(struct division *d, struct anneal_best *best, uint64_t steps, double heat);
