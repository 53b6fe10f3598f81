// SPDX-License-Identifier: MIT
#include "plan/apart.h"

#include "memory/arena.h"
#include "plan/plan.h"

static struct pieces apart;
static struct pieces aside; /* where okram was while the last main part was tested */
static struct pieces common;
static bool has_begun;

static struct pieces make_pieces(size_t max)
{
    return (struct pieces){ .piece = arena_alloc(max * sizeof(struct piece)), .max = max };
}

void apart_prepare(void)
{
    /* Borders of what is tested cut a place. */
    size_t max_pieces = plan.ram.n + arena_place_runs();

    apart = make_pieces(max_pieces);
    aside = make_pieces(max_pieces);
    common = make_pieces(max_pieces);
}

bool apart_is_open(void)
{
    return !has_begun || apart.n;
}

const struct pieces *apart_memory(void)
{
    return &apart;
}

/* By halves: there may be thousands of pieces, and all of okram's pages are looked for. */
static bool touches(struct span s)
{
    size_t first = 0, past = apart.n;

    while (first < past) {
        size_t middle = first + (past - first) / 2;

        if (span_end(apart.piece[middle].span) <= s.base)
            first = middle + 1;
        else
            past = middle;
    }
    return first < apart.n && span_intersect(apart.piece[first].span, s).size;
}

bool apart_has_page(uint64_t phys)
{
    return touches((struct span){ align_down(phys, PAGE_SIZE), PAGE_SIZE });
}

static bool is_in(const struct place *place)
{
    for (size_t i = 0; i < place->n; i++) {
        if (touches(place_span(place, i)))
            return true;
    }
    return false;
}

bool apart_holds_okram(void)
{
    return is_in(&arena_where()->data) || is_in(&arena_where()->tables);
}

void apart_main_is_tested(void)
{
    plan_list_tested(plan_list_place(arena_where()), &aside);
    if (!has_begun || !aside.n)
        plan_list_tested(plan_list_place(arena_where()), &apart);
    has_begun = true;
}

/* What was apart both times still is. Without room for it, all of it is said to be. */
void apart_left_is_tested(void)
{
    struct pieces old = apart;

    for (size_t i = 0; i < aside.n; i++)
        plan.spans[i] = aside.piece[i].span;
    if (pieces_within(&apart, plan.spans, aside.n, &common) != STATUS_OK)
        return;
    apart = common;
    common = old;
}

void apart_all_is_tested(void)
{
    apart.n = 0;
    has_begun = true;
}
