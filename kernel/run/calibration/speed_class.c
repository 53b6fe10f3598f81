// SPDX-License-Identifier: MIT
#include "calibration/speed_class.h"

#define SAME_PART 8 /* the slower is less than 1/SAME_PART below */

bool speed_class_same(double fast, double slow)
{
    return slow * SAME_PART > fast * (SAME_PART - 1);
}

/* The highest speed below `below`; 0: none. */
static double fastest_below(const double *speed, size_t n, double below)
{
    double fastest = 0;

    for (size_t i = 0; i < n; i++) {
        if (speed[i] < below && speed[i] > fastest)
            fastest = speed[i];
    }
    return fastest;
}

/* The speeds from `fastest` down that count as the same; returns the slowest of them. */
static double mean_of_level(const double *speed, size_t n, double fastest, double *ret_mean)
{
    double slowest = fastest, sum = 0;
    size_t members = 0;

    for (size_t i = 0; i < n; i++) {
        if (speed[i] > fastest || !speed_class_same(fastest, speed[i]))
            continue;
        sum += speed[i];
        members++;
        slowest = speed[i] < slowest ? speed[i] : slowest;
    }
    *ret_mean = sum / (double)members;
    return slowest;
}

void speed_class_speeds(const double *speed, size_t n, uint32_t full, uint32_t *ret_level)
{
    double fastest = fastest_below(speed, n, __builtin_inf()), top = 0;

    for (size_t i = 0; i < n; i++)
        ret_level[i] = 0;
    while (fastest > 0) {
        double mean, slowest = mean_of_level(speed, n, fastest, &mean);
        uint32_t level;

        if (top <= 0)
            top = mean;
        level = (uint32_t)(mean / top * full + 0.5);
        for (size_t i = 0; i < n; i++) {
            if (speed[i] <= fastest && speed[i] >= slowest)
                ret_level[i] = level ? level : 1;
        }
        fastest = fastest_below(speed, n, slowest);
    }
}

static double sum_of(struct speed_class_kind fast, struct speed_class_kind slow, size_t i)
{
    return (double)fast.n_cpus * fast.speed[i] + (double)slow.n_cpus * slow.speed[i];
}

size_t speed_class_best(struct speed_class_kind fast, struct speed_class_kind slow, size_t n,
                        double tie)
{
    double most = 0;
    size_t best = 0;

    for (size_t i = 0; i < n; i++)
        most = sum_of(fast, slow, i) > most ? sum_of(fast, slow, i) : most;
    while (best + 1 < n && sum_of(fast, slow, best) < most * (1 - tie))
        best++;
    return best;
}

double speed_class_mean(const double *speed, const double *bytes, size_t n)
{
    double time = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] <= 0)
            continue;
        if (speed[i] <= 0)
            return 0;
        sum += bytes[i];
        time += bytes[i] / speed[i];
    }
    return time > 0 ? sum / time : 0;
}
