// SPDX-License-Identifier: MIT
#include "rows/row_vote.h"

#include "lib/sort.h"

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

#define SEPARATION_MIN 12
#define DISTANCE_SHARE 20

struct sums {
    double n, x, xx;
};

static void add(struct sums *s, double x)
{
    s->n += 1;
    s->x += x;
    s->xx += x * x;
}

static double mean(const struct sums *s)
{
    return s->x / s->n;
}

static double variance(const struct sums *s)
{
    double v = s->xx / s->n - mean(s) * mean(s);

    return v > 0 ? v : 0;
}

bool row_modes_find(uint32_t *latency, size_t n, struct row_modes *ret)
{
    struct sums all = { 0 }, low = { 0 };
    double farthest = 0;

    sort_numbers(latency, n);
    for (size_t i = 0; i < n; i++)
        add(&all, latency[i]);
    for (size_t i = 0; i + ROW_MODE_MIN < n; i++) {
        struct sums high;
        double distance;

        add(&low, latency[i]);
        high = (struct sums){ all.n - low.n, all.x - low.x, all.xx - low.xx };
        distance = mean(&high) - mean(&low);
        if (i + 1 < ROW_MODE_MIN || distance <= farthest ||
            distance * DISTANCE_SHARE < mean(&low) ||
            distance * distance < SEPARATION_MIN * (variance(&low) + variance(&high)))
            continue;
        farthest = distance;
        *ret = (struct row_modes){ .fast = (uint32_t)mean(&low),
                                   .slow = (uint32_t)mean(&high),
                                   .threshold = (uint32_t)((mean(&low) + mean(&high)) / 2) };
    }
    return farthest > 0;
}
