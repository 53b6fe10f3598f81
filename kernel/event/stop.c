// SPDX-License-Identifier: MIT
#include "event/stop.h"

#include <stdatomic.h>

static _Atomic bool requested;

void stop_request(void)
{
    atomic_store(&requested, true);
}

bool stop_is_requested(void)
{
    return atomic_load_explicit(&requested, memory_order_relaxed);
}
