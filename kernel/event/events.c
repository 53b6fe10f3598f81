// SPDX-License-Identifier: MIT
#include "event/events.h"

#include "arch/tsc.h"
#include "lib/panic.h"

static struct {
    void (*receive)(void *ctx, const struct event *e);
    void *ctx;
} receivers[EVENTS_RECEIVERS_MAX];
static size_t n_receivers;

void events_send_to(void (*receive)(void *ctx, const struct event *e), void *ctx)
{
    ASSERT(n_receivers < EVENTS_RECEIVERS_MAX);
    receivers[n_receivers].receive = receive;
    receivers[n_receivers++].ctx = ctx;
}

void events_send(struct event *e)
{
    e->t = (double)tsc_elapsed_us() / 1e6;
    for (size_t i = 0; i < n_receivers; i++)
        receivers[i].receive(receivers[i].ctx, e);
}
