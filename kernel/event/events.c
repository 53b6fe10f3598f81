// SPDX-License-Identifier: MIT
#include "event/events.h"

#include "arch/tsc.h"
#include "lib/panic.h"

static void (*receivers[EVENTS_RECEIVERS_MAX])(const struct event *e);
static size_t n_receivers;

void events_send_to(void (*receive)(const struct event *e))
{
    ASSERT(n_receivers < EVENTS_RECEIVERS_MAX);
    receivers[n_receivers++] = receive;
}

void events_send(struct event *e)
{
    e->t = (double)tsc_elapsed_us() / 1e6;
    for (size_t i = 0; i < n_receivers; i++)
        receivers[i](e);
}
