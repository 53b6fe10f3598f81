// SPDX-License-Identifier: MIT
#include "attempt.h"

static void *way_out[5]; /* as __builtin_setjmp wants it */
static volatile bool is_at_work;

bool guard_attempt(void (*work)(void))
{
    volatile bool is_done = false;

    is_at_work = true;
    if (!__builtin_setjmp(way_out)) {
        work();
        is_done = true;
    }
    is_at_work = false;
    return is_done;
}

/* Not in a function that __builtin_setjmp is in. */
void guard_attempt_end(void)
{
    if (is_at_work)
        __builtin_longjmp(way_out, 1);
}
