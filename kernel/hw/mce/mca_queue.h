// SPDX-License-Identifier: MIT
/*
 * Machine checks on their way from any CPU, also from exception handlers, to the boot CPU. A put
 * never waits: it may interrupt another one on the same CPU.
 *
 * After D. Vyukov's bounded queue (1024cores.net, "Bounded MPMC queue"): each place carries the
 * number of the turn that it is ready for.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mce/mca_decode.h"

#define MCA_QUEUE_PLACES 256 /* a power of two */

/* All zero: empty. */
struct mca_queue {
    struct {
        atomic_size_t turn; /* how often it was filled and emptied, counted together */
        struct mca_record record;
    } place[MCA_QUEUE_PLACES];
    atomic_size_t n_put;
    size_t n_taken; /* the reader's own */
    atomic_size_t n_lost;
};

/* Any CPU, at any moment. A record that finds no room is only counted. */
void mca_queue_put(struct mca_queue *q, const struct mca_record *record);

/*
 * One CPU only: the first in the order of arrival, which stays in the queue. False: none now. One
 * that its CPU is still writing holds back those after it, but skip: that CPU has been stopped, and
 * it is left out.
 */
bool mca_queue_first(struct mca_queue *q, bool skip, struct mca_record *ret);

/* Removes the first: after mca_queue_first. */
void mca_queue_remove(struct mca_queue *q);

/* Records that found no room, since the start. */
size_t mca_queue_lost(struct mca_queue *q);
