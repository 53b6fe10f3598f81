// SPDX-License-Identifier: MIT
#include "report/rate_limit.h"

#define USUAL_BAUD     115200
#define BITS_OF_A_BYTE 10.0 /* 8N1 */
#define SHARE          0.05
/* What the first lines of a run may take, before a share of the time amounts to anything. */
#define GRACE_SECONDS 2.0

bool rate_limit_allows(struct rate_limit *p, double t, size_t n)
{
    double cost = (double)n * BITS_OF_A_BYTE / (p->baud ? p->baud : USUAL_BAUD);

    if (!p->ask && p->spent_seconds + cost > GRACE_SECONDS + SHARE * t)
        return false;
    p->ask = false;
    p->spent_seconds += cost;
    return true;
}
