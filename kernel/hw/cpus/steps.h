// SPDX-License-Identifier: MIT
/*
 * Steps of work that CPUs do together: which are done, and who takes the next one.
 *
 * Barrier: each member does the steps 0, 1, 2, ... and arrives at the barrier once for each. A step
 * is done when all have arrived. Some may be ahead of others, by BARRIER_AHEAD_MAX steps at most.
 * Arrivals are counted in groups, and groups at the root, each in cache lines of its own, so that
 * many CPUs neither write to the same line nor all wait for one.
 *
 * Each use of a barrier has its own range of numbers, so that a late arrival of an earlier use is
 * not counted. No locks: a lost CPU holds none.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BARRIER_AHEAD_MAX 8

/* CPUs arrive at a group, and groups at the root. */
struct barrier_group {
    _Alignas(64) _Atomic uint64_t arrived[BARRIER_AHEAD_MAX]; /* by step: number and arrivals */
    _Alignas(64) _Atomic uint64_t done; /* the number of the first step that is not done */
    uint32_t n_members;
};

struct barrier {
    struct barrier_group root, *group;
    uint32_t n_groups;
    uint64_t first; /* number of step 0 */
};

/*
 * Begins a new use, by groups of group[i].n_members > 0, with step 0. Nothing else may use the
 * barrier meanwhile. All zeros are a barrier that was never used.
 */
void barrier_begin(struct barrier *b, uint32_t n_groups);

/*
 * Counts that a member of the group has done the step of this number; all of its earlier steps have
 * been counted. True: it was the last, and the caller must call barrier_release. A number of an
 * earlier use is not counted.
 */
bool barrier_arrive(struct barrier *b, uint32_t group, uint64_t number);

/* From now on this step and all earlier ones count as done. */
void barrier_release(struct barrier *b, uint64_t number);

/* The number of the first step that is not done. */
uint64_t barrier_done(const struct barrier *b, uint32_t group);

/*
 * Queue: the steps of one worker's work, which any CPU may do. They are done one after the other,
 * by whichever CPU takes the next one.
 */
struct step_queue {
    _Alignas(64) _Atomic uint64_t at; /* a cache line of its own */
};

/* Sets the worker's next step. Nothing else may use the queue meanwhile. */
void step_queue_begin(struct step_queue *t, uint32_t step);

/* Takes the worker's next step, if it is before `end` and no other is under way. */
bool step_queue_claim(struct step_queue *t, uint32_t end, uint32_t *ret_step);

/* The number of the worker's steps that are done. */
uint32_t step_queue_done(const struct step_queue *t);

/* The step that was taken is done. */
void step_queue_end(struct step_queue *t, uint32_t step);
