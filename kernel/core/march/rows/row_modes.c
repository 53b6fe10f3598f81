// SPDX-License-Identifier: MIT
#include "rows/row_modes.h"

#include "lib/sort.h"

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
