// SPDX-License-Identifier: MIT
/*
 * The steps of an element by threads, as CPUs do them in kernel/run/testing/element.c: each
 * thread's share is cut into parts, a part's steps are done one after the other, and a thread that
 * has to wait does one of another's.
 */
#pragma once

#include <stdint.h>

#define HOST_STEPS_PARTS   2 /* of each thread's share, if there are several threads */
#define HOST_STEPS_THREADS 2 /* at most */

struct host_steps {
    uint32_t n_threads, n_parts; /* of each thread */
    uint32_t n_steps, ahead;     /* order_steps, order_ahead */
    void (*visit)(void *ctx, uint32_t thread, uint32_t part, uint32_t step);
};

/* No thread is at any steps, nor will be before this has returned. */
void host_steps_begin(const struct host_steps *steps);

/* Returns when all steps of all threads are done. Returns for how many ns the thread has waited. */
uint64_t host_steps_do(const struct host_steps *steps, uint32_t thread, void *ctx);

/* For a spinning thread: others may have its CPU after a while. *spins is 0 first. */
void host_steps_spin(uint32_t *spins);
