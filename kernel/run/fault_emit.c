// SPDX-License-Identifier: MIT
#include "run/fault_emit.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "plan/plan.h"
#include "run/selection.h"

#define OWN_MEMORY "own memory" /* instead of the name of a test */

static void send_fault(const struct fault *f)
{
    struct event e = { .type = EVENT_FAULT };

    e.fault = (struct event_fault){
        .addr = f->addr,
        .expected = f->expected,
        .found = f->found,
        .test = f->test < selection.tests.n_tests ? selection.tests.test[f->test].name : "",
        .pass = f->pass,
        .cpu = f->cpu,
        .node = f->node,
    };
    events_send(&e);
}

void fault_emit(uint64_t max_us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(max_us);
    struct fault f;

    while (fault_log_drain(&fault_log, &f)) {
        send_fault(&f);
        if (tsc_now() > deadline)
            return;
    }
}

static void send_aliases(const char *test, uint32_t pass)
{
    struct alias alias;

    while (aliases_drain(&aliases, &alias))
        events_send(&(struct event){
            .type = EVENT_ALIAS,
            .alias = { .alias = alias, .test = test, .pass = pass },
        });
}

void fault_emit_aliases(struct test_place place)
{
    send_aliases(selection.tests.test[place.test].name, place.pass);
}

void fault_emit_own_aliases(uint32_t pass)
{
    send_aliases(OWN_MEMORY, pass);
}
