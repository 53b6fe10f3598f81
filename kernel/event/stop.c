// SPDX-License-Identifier: MIT
#include "event/stop.h"

#include <stdatomic.h>

static _Atomic bool requested, skips;
static bool in_test; /* of the boot CPU */

void stop_request(void)
{
    atomic_store(&requested, true);
}

bool stop_is_requested(void)
{
    return atomic_load_explicit(&requested, memory_order_relaxed) ||
           atomic_load_explicit(&skips, memory_order_relaxed);
}

void stop_request_skip(void)
{
    if (in_test)
        atomic_store(&skips, true);
}

bool stop_is_skip(void)
{
    return atomic_load_explicit(&skips, memory_order_relaxed);
}

bool stop_take_skip(bool begins)
{
    in_test = begins;
    return atomic_exchange(&skips, false);
}
