// SPDX-License-Identifier: MIT
#include "rows/row_vote.h"

#include "lib/sort.h"
#include "rows/row_memory.h"

#define VOTES        24
#define VOTES_TO_WIN 17

bool row_vote_pair(struct row_vote *vote, uint64_t difference, uint64_t ret_phys[2])
{
    return difference && row_memory_pair(vote->question->memory, vote->question->hole, vote->bits,
                                         difference, &vote->random, ret_phys);
}

uint32_t row_vote_measure(struct row_vote *vote, const uint64_t phys[2])
{
    const struct row_question *q = vote->question;
    uint32_t latency = 0;

    vote->is_over |= vote->n_measurements >= q->n_measurements_max;
    if (!vote->is_over) {
        vote->n_measurements++;
        latency = q->latency(q->ctx, phys[0], phys[1]);
        vote->is_over = !latency;
    }
    return latency;
}

uint32_t row_vote_median(struct row_vote *vote, const uint64_t phys[2], unsigned n)
{
    uint32_t latency[ROW_MEDIAN_MAX];

    for (unsigned i = 0; i < n; i++)
        latency[i] = row_vote_measure(vote, phys);
    sort_numbers(latency, n);
    return vote->is_over ? 0 : latency[n / 2];
}

enum row_verdict row_vote_is_slow(struct row_vote *vote, uint64_t difference, uint32_t threshold)
{
    unsigned slow = 0, fast = 0;

    while (slow < VOTES_TO_WIN && fast < VOTES_TO_WIN && slow + fast < VOTES) {
        uint64_t phys[2];

        if (!row_vote_pair(vote, difference, phys))
            return ROW_NO_PAIR;
        if (row_vote_measure(vote, phys) > threshold)
            slow++;
        else
            fast++;
        if (vote->is_over)
            return ROW_DIVIDED;
    }
    return slow >= VOTES_TO_WIN ? ROW_SLOW : fast >= VOTES_TO_WIN ? ROW_FAST : ROW_DIVIDED;
}
