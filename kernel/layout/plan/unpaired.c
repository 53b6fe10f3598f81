// SPDX-License-Identifier: MIT
#include "plan/unpaired.h"

#include "memory/arena.h"
#include "plan/plan.h"

static struct pieces unpaired;
static struct pieces aside; /* where okram was while the last main part was tested */
static struct pieces common;
static bool has_begun;

static struct pieces make_pieces(size_t max)
{
    return (struct pieces){ .piece = arena_alloc(max * sizeof(struct piece)), .max = max };
}

void unpaired_prepare(void)
{
    /* Borders of what is tested cut a place. */
    size_t max_pieces = plan.ram.n + footprint_runs();

    unpaired = make_pieces(max_pieces);
    aside = make_pieces(max_pieces);
    common = make_pieces(max_pieces);
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

void unpaired_main_is_tested(void)
{
    plan_list_tested(plan_list_place(arena_footprint()), &aside);
    if (!has_begun || !aside.n)
        plan_list_tested(plan_list_place(arena_footprint()), &unpaired);
    has_begun = true;
}

/* What was unpaired both times still is. Without room for it, all of it is said to be. */
void unpaired_vacated_is_tested(void)
{
    struct pieces old = unpaired;

    for (size_t i = 0; i < aside.n; i++)
        plan.spans[i] = aside.piece[i].span;
    if (pieces_within(&unpaired, plan.spans, aside.n, &common) != STATUS_OK)
        return;
    unpaired = common;
    common = old;
}

void unpaired_all_is_tested(void)
{
    unpaired.n = 0;
    has_begun = true;
}
