// SPDX-License-Identifier: MIT
#include "lib/confidence.h"

#include "lib/panic.h"

#define SIDE       0.025
#define ONE_SIDED  0.05
#define HALVINGS   50u /* about as many as a double has digits */
#define NEGLIGIBLE 1e-17

/* The term of i over that of i - 1: with ratios no term gets too large or too small. */
static double ratio(double part, double i, double n)
{
    return (n - i + 1) / i * part / (1 - part);
}

/* The probability of k or fewer, the term of k itself being left out if so wanted. */
static double below(double part, double n, double k, bool with_k)
{
    double term = 1, down = with_k, up = !with_k;

    for (double i = k; i > 0 && term > NEGLIGIBLE * (down + up); i--) {
        term /= ratio(part, i, n);
        down += term;
    }
    term = 1;
    for (double i = k + 1; term > NEGLIGIBLE * (down + up); i++) {
        term *= ratio(part, i, n);
        up += term;
    }
    return down / (down + up);
}

/* The part with that probability of k or fewer, which falls with it. */
static double find(double n, double k, bool with_k, double wanted)
{
    double low = 0, high = 1;

    for (unsigned i = 0; i < HALVINGS; i++) {
        double part = (low + high) / 2;

        if (below(part, n, k, with_k) > wanted)
            low = part;
        else
            high = part;
    }
    return (low + high) / 2;
}

struct confidence confidence_part(uint32_t k, uint32_t n)
{
    ASSERT(k <= n);
    if (n == 0 || k == 0)
        return (struct confidence){ 0, n ? find(n, 0, true, ONE_SIDED) : 1 };
    if (k == n)
        return (struct confidence){ find(n, k, false, 1 - ONE_SIDED), 1 };
    return (struct confidence){ find(n, k, false, 1 - SIDE), find(n, k, true, SIDE) };
}

#define THREE       3
#define HOUR_S      3600.0
#define SECONDS_MIN 1e-6

bool excluded_make(uint64_t reads, double seconds, struct excluded *ret)
{
    *ret = (struct excluded){ 0 };
    if (reads < THREE || !(seconds >= SECONDS_MIN))
        return false;
    /* Rounded down: the report claims less than what is excluded, never more. */
    *ret = (struct excluded){ reads, reads / THREE, seconds, THREE / (seconds / HOUR_S) };
    return true;
}
