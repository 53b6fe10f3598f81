// SPDX-License-Identifier: MIT
#include "event/events.h"

#include "arch/tsc.h"

static void (*receiver)(const struct event *e);

void events_send_to(void (*receive)(const struct event *e))
{
    receiver = receive;
}

void events_send(struct event *e)
{
    e->t = (double)tsc_elapsed_us() / 1e6;
    if (receiver)
        receiver(e);
}
