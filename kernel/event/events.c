// SPDX-License-Identifier: MIT
#include "event/events.h"

#include "arch/panic.h"
#include "arch/tsc.h"
#include "lib/panic.h"

static struct {
    void (*receive)(void *ctx, const struct event *e);
    void *ctx;
    bool in_panic;
} receivers[EVENTS_RECEIVERS_MAX];
static size_t n_receivers;

void events_send_to(void (*receive)(void *ctx, const struct event *e), void *ctx, bool in_panic)
{
    ASSERT(n_receivers < EVENTS_RECEIVERS_MAX);
    receivers[n_receivers].receive = receive;
    receivers[n_receivers].ctx = ctx;
    receivers[n_receivers++].in_panic = in_panic;
}

void events_send(struct event *e)
{
    e->t = (double)tsc_elapsed_us() / 1e6;
    for (size_t i = 0; i < n_receivers; i++) {
        if (receivers[i].in_panic || !panic_in_progress())
            receivers[i].receive(receivers[i].ctx, e);
    }
}
