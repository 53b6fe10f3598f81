// SPDX-License-Identifier: MIT
#include "mce/mca_queue.h"

/* Of the n-th record: its place is free at turn 2k, filled at 2k + 1, k = how often it was used. */
static size_t free_turn(size_t n)
{
    return n / MCA_QUEUE_PLACES * 2;
}

void mca_queue_put(struct mca_queue *q, const struct mca_record *record)
{
    size_t n = atomic_load_explicit(&q->n_put, memory_order_relaxed);

    for (;;) {
        size_t turn =
            atomic_load_explicit(&q->place[n % MCA_QUEUE_PLACES].turn, memory_order_acquire);

        if (turn < free_turn(n)) {
            atomic_fetch_add_explicit(&q->n_lost, 1, memory_order_relaxed);
            return;
        }
        if (turn > free_turn(n))
            n = atomic_load_explicit(&q->n_put, memory_order_relaxed);
        else if (atomic_compare_exchange_weak_explicit(&q->n_put, &n, n + 1, memory_order_relaxed,
                                                       memory_order_relaxed))
            break;
    }
    q->place[n % MCA_QUEUE_PLACES].record = *record;
    atomic_store_explicit(&q->place[n % MCA_QUEUE_PLACES].turn, free_turn(n) + 1,
                          memory_order_release);
}

bool mca_queue_first(struct mca_queue *q, bool skip, struct mca_record *ret)
{
    while (q->n_taken < atomic_load_explicit(&q->n_put, memory_order_relaxed)) {
        size_t n = q->n_taken, at = n % MCA_QUEUE_PLACES;

        if (atomic_load_explicit(&q->place[at].turn, memory_order_acquire) == free_turn(n) + 1) {
            *ret = q->place[at].record;
            return true;
        }
        if (!skip)
            return false;
        mca_queue_remove(q);
    }
    return false;
}

void mca_queue_remove(struct mca_queue *q)
{
    size_t n = q->n_taken++;

    atomic_store_explicit(&q->place[n % MCA_QUEUE_PLACES].turn, free_turn(n) + 2,
                          memory_order_release);
}

size_t mca_queue_lost(struct mca_queue *q)
{
    return atomic_load_explicit(&q->n_lost, memory_order_relaxed);
}
