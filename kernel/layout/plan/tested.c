// SPDX-License-Identifier: MIT
#include "plan/tested.h"

#include "lib/panic.h"
#include "plan/plan.h"

static struct spans rest; /* what no test has tested */
static struct spans common;
static struct spans spans;
static bool has_begun; /* until then `rest` is all */

void tested_prepare(void)
{
    /*
     * Two places, cut by borders of what is tested, and then by two others. Three places rarely
     * need more: only if they were scattered.
     */
    size_t max = plan.ram.n + 4 * footprint_runs();

    ASSERT(plan.untested);
    rest = arena_alloc_spans(max);
    common = arena_alloc_spans(max);
    spans = arena_alloc_spans(PLAN_PLACES_SPANS(PLAN_PLACES_MAX));
}

/* If there is no room for what this test left out, the test does not count. */
void tested_all_except(const struct footprint *const *also, size_t n_also)
{
    const struct footprint *place[PLAN_PLACES_MAX] = { arena_footprint() };
    struct spans old = rest;

    ASSERT(n_also < PLAN_PLACES_MAX);
    for (size_t i = 0; i < n_also; i++)
        place[1 + i] = also[i];
    plan_list_places(place, 1 + n_also, &spans);
    common.n = 0;
    if (!spans_within(has_begun ? &rest : &plan.tested, &spans, &common))
        return;
    has_begun = true;
    rest = common;
    common = old;
}

void tested_remaining(void)
{
    rest.n = 0;
}

bool tested_is_complete(uint64_t tested_bytes)
{
    return tested_bytes && plan.wanted_bytes - tested_bytes <= plan.wanted_bytes / 100;
}

void tested_end(bool stopped)
{
    if (!has_begun) {
        pieces_exclude(&plan.ram, (struct span){ 0, UINT64_MAX },
                       plan_exclusion[stopped ? EXCLUDED_STOPPED : EXCLUDED_HAMMER]);
        return;
    }
    for (size_t i = 0; i < rest.n; i++)
        pieces_exclude(&plan.ram, rest.span[i], plan_exclusion[EXCLUDED_OKRAM]);
    pieces_join(&plan.ram);
}
