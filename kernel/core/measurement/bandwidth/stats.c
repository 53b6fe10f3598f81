// SPDX-License-Identifier: MIT
#include "bandwidth/stats.h"

#include <immintrin.h>

void stats_add(struct stats *s, double x)
{
    double before = x - s->mean;

    s->n++;
    s->mean += before / (double)s->n;
    s->squares += before * (x - s->mean);
    if (s->n == 1 || x < s->min)
        s->min = x;
    if (s->n == 1 || x > s->max)
        s->max = x;
}

/* The instruction itself: there is no libm here, and sqrt() would set errno. */
static double square_root(double x)
{
    __m128d v = _mm_set_sd(x);

    return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
}

double stats_stddev(const struct stats *s)
{
    return s->n < 2 ? 0 : square_root(s->squares / (double)(s->n - 1));
}
