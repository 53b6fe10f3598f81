// SPDX-License-Identifier: MIT
#include "plan/unpaired.h"

#include "lib/panic.h"
#include "memory/arena.h"

void unpaired_prepare(struct unpaired *u, const struct plan *plan)
{
    /* Borders of what is tested cut a place. */
    size_t max_spans = plan->ram.n + footprint_runs();

    ASSERT(plan->untested);
    u->plan = plan;
    u->memory = arena_alloc_spans(max_spans);
    u->aside = arena_alloc_spans(max_spans);
    u->common = arena_alloc_spans(max_spans);
    u->spans = arena_alloc_spans(plan->ram.max + max_spans);
}

bool unpaired_remains(const struct unpaired *u)
{
    return !u->has_begun || u->memory.n;
}

bool unpaired_has_page(const struct unpaired *u, uint64_t phys)
{
    return spans_first_in(&u->memory, (struct span){ align_down(phys, PAGE_SIZE), PAGE_SIZE }).size;
}

static bool is_in(const struct spans *memory, const struct page_list *place)
{
    for (size_t i = 0; i < place->n; i++) {
        if (spans_first_in(memory, page_list_span(place, i)).size)
            return true;
    }
    return false;
}

bool unpaired_holds_okram(const struct unpaired *u)
{
    return is_in(&u->memory, &arena_footprint()->data) ||
           is_in(&u->memory, &arena_footprint()->tables);
}

/* What is to be tested where okram is. */
static void list_okram(struct unpaired *u, struct spans *ret)
{
    const struct footprint *place = arena_footprint();

    plan_list_places(&place, 1, &u->spans);
    ret->n = 0;
    ASSERT(spans_within(&u->plan->tested, &u->spans, ret));
}

void unpaired_main_is_tested(struct unpaired *u)
{
    list_okram(u, &u->aside);
    if (!u->has_begun || !u->aside.n)
        list_okram(u, &u->memory);
    u->has_begun = true;
}

/* What was unpaired both times still is. Without room for it, all of it is said to be. */
void unpaired_vacated_is_tested(struct unpaired *u)
{
    struct spans old = u->memory;

    u->common.n = 0;
    if (!spans_within(&u->memory, &u->aside, &u->common))
        return;
    u->memory = u->common;
    u->common = old;
}

void unpaired_all_is_tested(struct unpaired *u)
{
    u->memory.n = 0;
    u->has_begun = true;
}

const struct spans *unpaired_list(struct unpaired *u)
{
    u->spans.n = 0;
    for (size_t i = 0; i < u->plan->ram.n; i++) {
        for (size_t k = 0; k < u->memory.n && !u->plan->ram.piece[i].why; k++)
            ASSERT(spans_add(&u->spans,
                             span_intersect(u->memory.span[k], u->plan->ram.piece[i].span)));
    }
    return &u->spans;
}
