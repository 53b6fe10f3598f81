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

/* Some of a march that follow each other, none of them a pause, all in one direction. */
struct march_elements {
    const struct march_element *first;
    uint32_t n;
};

/*
 * Does one after the other; but until memory is guarded (self/own_aliases.h) all of them on one
 * part of it after the other, so that a fault is found before all memory is written. Returns when
 * all CPUs have done them, the run is stopped, or a CPU is lost (plan/lost_cpus.h). Faults go to
 * the fault log.
 */
void element_run(struct run *run, struct march_elements elements, const struct data *data,
                 struct test_place place);

/* block_moving.c: block move (sweep/block_move.h): each CPU on its share, not in step with others.
 */
void block_moving_run(struct run *run, const struct data *data, struct test_place place);
