// SPDX-License-Identifier: MIT
#include "bandwidth/welch.h"

#define ROWS    13
#define COLUMNS 6

/* Degrees of freedom; numbers of comparisons, which are those of 2, 4, 8, 16, 33, 64 nodes. */
static const uint8_t freedom[ROWS] = { 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 60, 120 };
static const uint32_t tested[COLUMNS] = { 2, 12, 56, 240, 1056, 4032 };

/* Student's t that is exceeded with a probability of 0.005 divided by the number of comparisons. */
static const float critical[ROWS][COLUMNS] = {
    { 127.32f, 763.94f, 3565.07f, 15278.87f, 67227.05f, 256685.09f },
    { 14.09f, 34.62f, 74.82f, 154.91f, 324.96f, 634.98f },
    { 7.45f, 13.75f, 23.06f, 37.51f, 61.50f, 96.15f },
    { 5.60f, 9.03f, 13.42f, 19.39f, 28.15f, 39.40f },
    { 4.77f, 7.15f, 9.91f, 13.38f, 18.10f, 23.72f },
    { 4.32f, 6.17f, 8.19f, 10.59f, 13.68f, 17.19f },
    { 3.83f, 5.19f, 6.55f, 8.05f, 9.85f, 11.77f },
    { 3.58f, 4.71f, 5.78f, 6.91f, 8.20f, 9.52f },
    { 3.29f, 4.16f, 4.94f, 5.71f, 6.53f, 7.33f },
    { 3.15f, 3.93f, 4.59f, 5.22f, 5.88f, 6.50f },
    { 3.03f, 3.71f, 4.27f, 4.79f, 5.32f, 5.79f },
    { 2.91f, 3.52f, 4.00f, 4.42f, 4.84f, 5.21f },
    { 2.86f, 3.43f, 3.87f, 4.26f, 4.63f, 4.95f },
};

/* For as many degrees of freedom and comparisons, or fewer and more of them: on the safe side. */
static double critical_of(double degrees, uint32_t comparisons)
{
    unsigned row = 0, column = 0;

    while (row + 1 < ROWS && freedom[row + 1] <= degrees)
        row++;
    while (column + 1 < COLUMNS && tested[column] < comparisons)
        column++;
    return (double)critical[row][column];
}

/* The variance of the mean. */
static double variance_of(struct spread s)
{
    return (double)s.stddev * (double)s.stddev / s.n;
}

/* Degrees of freedom by Satterthwaite; not both variances are 0. */
static double degrees_of(struct spread a, struct spread b, double va, double vb)
{
    return (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
}

bool spread_is_below(struct spread a, struct spread b, double factor, uint32_t comparisons)
{
    double difference = (double)b.mean * factor - (double)a.mean, va, vb, t;

    if (a.n < 2 || b.n < 2 || difference <= 0)
        return false;
    va = variance_of(a);
    vb = variance_of(b) * factor * factor;
    if (va + vb == 0)
        return true;
    t = critical_of(degrees_of(a, b, va, vb), comparisons);
    return difference * difference > t * t * (va + vb);
}
