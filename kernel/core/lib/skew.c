// SPDX-License-Identifier: MIT
#include "lib/skew.h"

void skew_narrow(struct skew *s, uint64_t asked, uint64_t there, uint64_t answered)
{
    int64_t low = (int64_t)(there - answered), high = (int64_t)(there - asked);

    s->low = low > s->low ? low : s->low;
    s->high = high < s->high ? high : s->high;
}

uint64_t skew_width(struct skew s)
{
    return s.high > s.low ? (uint64_t)s.high - (uint64_t)s.low : 0;
}

int64_t skew_least(struct skew s)
{
    if (s.low > 0 && s.high > 0)
        return s.low < s.high ? s.low : s.high;
    if (s.low < 0 && s.high < 0)
        return s.low > s.high ? s.low : s.high;
    return 0;
}

int64_t skew_guess(struct skew s)
{
    return skew_least(s) ? s.low + (s.high - s.low) / 2 : 0;
}

int64_t skew_gained(struct skew earlier, struct skew later)
{
    if (later.low > earlier.high)
        return later.low - earlier.high;
    if (later.high < earlier.low)
        return later.high - earlier.low;
    return 0;
}
