// SPDX-License-Identifier: MIT
#include "report/pace.h"

/* A serial port at 115200 8N1: ten bits a byte. */
#define BYTES_A_SECOND 11520.0
#define SHARE          0.05
/* What the first lines of a run may take, before a share of the time amounts to anything. */
#define GRACE_SECONDS 2.0

bool pace_allows(struct pace *p, double t, size_t n)
{
    double cost = (double)n / BYTES_A_SECOND;

    if (!p->ask && p->spent_seconds + cost > GRACE_SECONDS + SHARE * t)
        return false;
    p->ask = false;
    p->spent_seconds += cost;
    return true;
}
