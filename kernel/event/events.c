// SPDX-License-Identifier: MIT
#include "event/events.h"

#include "arch/tsc.h"
#include "lib/panic.h"

static struct event_sink sinks[EVENT_SINKS_MAX];
static size_t n_sinks;

void events_subscribe(struct event_sink sink)
{
    ASSERT(n_sinks < EVENT_SINKS_MAX);
    sinks[n_sinks++] = sink;
}

void events_send(struct event *e)
{
    e->t = (double)tsc_elapsed_us() / 1e6;
    for (size_t i = 0; i < n_sinks; i++)
        sinks[i].receive(sinks[i].ctx, e);
}
