// SPDX-License-Identifier: MIT
#include "plan/unpaired.h"

#include "lib/panic.h"
#include "memory/arena.h"
#include "plan/plan.h"

static struct spans unpaired;
static struct spans aside; /* where okram was during the last test of the main part */
static struct spans common;
static struct spans spans; /* of a place, or of all that is listed */
static bool has_begun;

void unpaired_prepare(void)
{
    /* Borders of what is tested cut a place. */
    size_t max_spans = plan.ram.n + footprint_runs();

    ASSERT(plan.untested);
    unpaired = arena_alloc_spans(max_spans);
    aside = arena_alloc_spans(max_spans);
    common = arena_alloc_spans(max_spans);
    spans = arena_alloc_spans(plan.ram.max + max_spans);
}

bool unpaired_remains(void)
{
    return !has_begun || unpaired.n;
}

const struct spans *unpaired_memory(void)
{
    return &unpaired;
}

bool unpaired_has_page(uint64_t phys)
{
    return spans_first_in(&unpaired, (struct span){ align_down(phys, PAGE_SIZE), PAGE_SIZE }).size;
}

static bool is_in(const struct page_list *place)
{
    for (size_t i = 0; i < place->n; i++) {
        if (spans_first_in(&unpaired, page_list_span(place, i)).size)
            return true;
    }
    return false;
}

bool unpaired_holds_okram(void)
{
    return is_in(&arena_footprint()->data) || is_in(&arena_footprint()->tables);
}

/* What is to be tested where okram is. */
static void list_okram(struct spans *ret)
{
    const struct footprint *place = arena_footprint();

    plan_list_places(&place, 1, &spans);
    ret->n = 0;
    ASSERT(spans_within(&plan.tested, &spans, ret));
}

void unpaired_main_is_tested(void)
{
    list_okram(&aside);
    if (!has_begun || !aside.n)
        list_okram(&unpaired);
    has_begun = true;
}

/* What was unpaired both times still is. Without room for it, all of it is said to be. */
void unpaired_vacated_is_tested(void)
{
    struct spans old = unpaired;

    common.n = 0;
    if (!spans_within(&unpaired, &aside, &common))
        return;
    unpaired = common;
    common = old;
}

void unpaired_all_is_tested(void)
{
    unpaired.n = 0;
    has_begun = true;
}

const struct spans *unpaired_list(void)
{
    spans.n = 0;
    for (size_t i = 0; i < plan.ram.n; i++) {
        for (size_t k = 0; k < unpaired.n && !plan.ram.piece[i].why; k++)
            ASSERT(spans_add(&spans, span_intersect(unpaired.span[k], plan.ram.piece[i].span)));
    }
    return &spans;
}
