// SPDX-License-Identifier: MIT
/* One march element, or a block move, over all memory of the shares, by all CPUs together. */
#pragma once

#include "faults/reporter.h"
#include "sweep/data.h"
#include "sweep/march.h"

/* Takes what the elements of a machine with so many CPUs need. Before arena_close. */
void element_prepare(uint32_t n_cpus);

/*
 * Into how many parts each share is cut, and each part into sections (sweep/order.h). Every part is
 * a worker of its own: while a CPU sweeps one, others may sweep the rest of its share. Called once
 * when memory has been shared out for a test: all its rounds there have the same parts.
 */
void element_cut_shares(const struct run *run, struct test_place *place);

/*
 * Returns when all CPUs have done it, the run is stopped, or a CPU is lost (plan/lost_cpus.h).
 * Faults go to the fault log. element must not be a pause.
 */
void element_run(struct run *run, const struct march_element *element, const struct data *data,
                 struct test_place place);

/* block_moving.c: block move (sweep/block_move.h): each CPU on its share, not in step with others.
 */
void block_moving_run(struct run *run, const struct data *data, struct test_place place);
