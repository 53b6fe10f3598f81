// SPDX-License-Identifier: MIT
#include "lib/rule_of_three.h"

#define THREE       3
#define HOUR_S      3600.0
#define SECONDS_MIN 1e-6

bool excluded_make(uint64_t reads, double seconds, struct excluded *ret)
{
    *ret = (struct excluded){ 0 };
    if (reads < THREE || !(seconds >= SECONDS_MIN))
        return false;
    /* Rounded down, so that what is said is less, not more, than what is excluded. */
    *ret = (struct excluded){ reads, reads / THREE, seconds, THREE / (seconds / HOUR_S) };
    return true;
}
