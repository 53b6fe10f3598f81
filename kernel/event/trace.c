// SPDX-License-Identifier: MIT
#include "event/trace.h"

#include <stdatomic.h>

#include "lib/string.h"

/* Calls between two polls, 20 ms apart: a call of firmware takes a millisecond or so. */
#define QUEUED_MAX   64
#define VARIABLE_MAX 80

static uint32_t wanted;

static struct {
    struct event_trace trace;
    char variable[VARIABLE_MAX];
} queue[QUEUED_MAX];

/* How many in all; the first is written by the CPU that calls, the second by the boot CPU. */
static _Atomic uint32_t n_queued, n_sent;
static uint32_t n_missed; /* since the last that was queued */

void trace_begin(uint32_t what)
{
    wanted = what;
}

void trace_send(const struct event_trace *trace)
{
    if (wanted & trace->what)
        events_send(&(struct event){ .type = EVENT_TRACE, .trace = *trace });
}

void trace_queue(const struct event_trace *trace)
{
    uint32_t n = atomic_load(&n_queued);

    if (!(wanted & trace->what))
        return;
    if (n - atomic_load(&n_sent) == QUEUED_MAX) {
        n_missed++;
        return;
    }
    queue[n % QUEUED_MAX].trace = *trace;
    queue[n % QUEUED_MAX].trace.missed = n_missed;
    string_copy(queue[n % QUEUED_MAX].variable, trace->variable, VARIABLE_MAX);
    n_missed = 0;
    atomic_store(&n_queued, n + 1);
}

void trace_send_queued(void)
{
    while (atomic_load(&n_sent) != atomic_load(&n_queued)) {
        uint32_t place = atomic_load(&n_sent) % QUEUED_MAX;

        queue[place].trace.variable = queue[place].variable;
        trace_send(&queue[place].trace);
        atomic_fetch_add(&n_sent, 1);
    }
}
