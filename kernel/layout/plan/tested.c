// SPDX-License-Identifier: MIT
#include "plan/tested.h"

#include "lib/panic.h"

void tested_prepare(struct tested *t, struct plan *plan)
{
    /*
     * Two places, cut by borders of what is tested, and then by two others. Three places rarely
     * need more: only if they were scattered.
     */
    size_t max = plan->ram.n + 4 * footprint_runs();

    ASSERT(plan->untested);
    t->plan = plan;
    t->rest = arena_alloc_spans(max);
    t->common = arena_alloc_spans(max);
    t->spans = arena_alloc_spans(PLAN_PLACES_SPANS(PLAN_PLACES_MAX));
}

/* If there is no room for what this test left out, the test does not count. */
void tested_all_except(struct tested *t, const struct footprint *const *also, size_t n_also)
{
    const struct footprint *place[PLAN_PLACES_MAX] = { arena_footprint() };
    struct spans old = t->rest;

    ASSERT(n_also < PLAN_PLACES_MAX);
    for (size_t i = 0; i < n_also; i++)
        place[1 + i] = also[i];
    plan_list_places(place, 1 + n_also, &t->spans);
    t->common.n = 0;
    if (!spans_within(t->has_begun ? &t->rest : &t->plan->tested, &t->spans, &t->common))
        return;
    t->has_begun = true;
    t->rest = t->common;
    t->common = old;
}

void tested_remaining(struct tested *t)
{
    t->rest.n = 0;
}

bool tested_is_complete(const struct plan *plan, uint64_t tested_bytes)
{
    return tested_bytes && plan->wanted_bytes - tested_bytes <= plan->wanted_bytes / 100;
}

void tested_end(struct tested *t, bool stopped)
{
    struct pieces *ram = &t->plan->ram;

    if (!t->has_begun) {
        pieces_exclude(ram, (struct span){ 0, UINT64_MAX },
                       plan_exclusion[stopped ? EXCLUDED_STOPPED : EXCLUDED_HAMMER]);
        return;
    }
    for (size_t i = 0; i < t->rest.n; i++)
        pieces_exclude(ram, t->rest.span[i], plan_exclusion[EXCLUDED_OKRAM]);
    pieces_join(ram);
}
