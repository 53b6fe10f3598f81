// SPDX-License-Identifier: MIT
/*
 * How long the tests will still take. Bytes that a test sweeps are weighted by its cost, from a
 * short measurement before the tests. Costs need only be right relative to each other: the speed of
 * all tests is that since the tests began; the current test's is its own, as soon as it is known.
 * The first sweep of memory is ignored once it is over: if a host provides memory when it is first
 * touched, that sweep is far slower.
 */
#pragma once

#include <stdint.h>

struct time_left_point {
    double s, work, waited_s;
};

struct time_left {
    double cost;    /* of a byte that is swept now */
    uint64_t swept; /* bytes, whose cost is in work */
    double work, waited_s;
    double pass_work, pass_wait_s;     /* of a whole pass */
    double work_before, waited_before; /* this pass */
    uint64_t sweep_bytes, first_swept;
    struct time_left_point begin, later, test; /* s 0: not reached */
    double test_work;                          /* of the whole current test */
};

/* What a whole pass takes. wait_s: of pauses, which take as long on any machine. */
struct time_left_pass {
    uint64_t sweep_bytes;
    double work, wait_s;
};

/* A pass begins. swept: all bytes swept until now; s: the seconds since any fixed moment. */
void time_left_begin_pass(struct time_left *t, struct time_left_pass pass, uint64_t swept,
                          double s);

/* A test begins that sweeps `bytes` bytes at this cost. */
void time_left_begin_test(struct time_left *t, double cost, uint64_t bytes, uint64_t swept,
                          double s);

/* s seconds of pauses are over. */
void time_left_waited(struct time_left *t, double s);

/* Traffic paused for s seconds, which nobody had counted with. */
void time_left_paused(struct time_left *t, double s);

/* The current test was skipped, of which wait_s are pauses: what is left of it is not done. */
void time_left_skip(struct time_left *t, double wait_s, uint64_t swept);

/* Bytes will be swept once more, at the current test's cost. */
void time_left_add_repeat(struct time_left *t, uint64_t bytes);

/* Bytes were swept that are not part of the pass's work. */
void time_left_add_uncounted(struct time_left *t, uint64_t bytes);

/* Seconds until the end of this pass and of more_passes after it; < 0: not known yet. */
double time_left_estimate(struct time_left *t, uint64_t swept, double s, uint64_t more_passes);
