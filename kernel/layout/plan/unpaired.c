// SPDX-License-Identifier: MIT
#include "plan/unpaired.h"

#include "lib/panic.h"
#include "memory/arena.h"
#include "plan/plan.h"

static struct pieces unpaired;
static struct pieces aside; /* where okram was during the last test of the main part */
static struct pieces common;
static struct span_list spans; /* of a place, or of all that is listed */
static bool has_begun;

void unpaired_prepare(void)
{
    /* Borders of what is tested cut a place. */
    size_t max_pieces = plan.ram.n + footprint_runs();

    ASSERT(plan.untested);
    unpaired = pieces_alloc(max_pieces);
    aside = pieces_alloc(max_pieces);
    common = pieces_alloc(max_pieces);
    spans = span_list_alloc(plan.ram.max + max_pieces);
}

bool unpaired_remains(void)
{
    return !has_begun || unpaired.n;
}

const struct pieces *unpaired_memory(void)
{
    return &unpaired;
}

/* By halves: there may be thousands of pieces, and all of okram's pages are looked for. */
static bool touches(struct span s)
{
    size_t first = 0, past = unpaired.n;

    while (first < past) {
        size_t middle = first + (past - first) / 2;

        if (span_end(unpaired.piece[middle].span) <= s.base)
            first = middle + 1;
        else
            past = middle;
    }
    return first < unpaired.n && span_intersect(unpaired.piece[first].span, s).size;
}

bool unpaired_has_page(uint64_t phys)
{
    return touches((struct span){ align_down(phys, PAGE_SIZE), PAGE_SIZE });
}

static bool is_in(const struct page_list *place)
{
    for (size_t i = 0; i < place->n; i++) {
        if (touches(page_list_span(place, i)))
            return true;
    }
    return false;
}

bool unpaired_holds_okram(void)
{
    return is_in(&arena_footprint()->data) || is_in(&arena_footprint()->tables);
}

/* What is to be tested where okram is. */
static void list_okram(struct pieces *ret)
{
    spans.n = 0;
    plan_list_place(arena_footprint(), &spans);
    plan_list_tested(&spans, ret);
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
    struct pieces old = unpaired;

    spans.n = 0;
    for (size_t i = 0; i < aside.n; i++)
        span_list_add(&spans, aside.piece[i].span);
    if (pieces_within(&unpaired, spans.span, spans.n, &common) != STATUS_OK)
        return;
    unpaired = common;
    common = old;
}

void unpaired_all_is_tested(void)
{
    unpaired.n = 0;
    has_begun = true;
}

/* Adds a span, or joins it with the last. */
static void add_joined(struct span s)
{
    struct span *last = spans.n ? &spans.span[spans.n - 1] : NULL;

    if (last && span_end(*last) == s.base)
        last->size += s.size;
    else
        span_list_add(&spans, s);
}

const struct span_list *unpaired_list(void)
{
    spans.n = 0;
    for (size_t i = 0; i < plan.ram.n; i++) {
        for (size_t k = 0; k < unpaired.n && !plan.ram.piece[i].why; k++) {
            struct span s = span_intersect(unpaired.piece[k].span, plan.ram.piece[i].span);

            if (s.size)
                add_joined(s);
        }
    }
    return &spans;
}
