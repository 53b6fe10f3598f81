// SPDX-License-Identifier: MIT
#include "plan/tested.h"

#include "lib/panic.h"
#include "memory/arena.h"
#include "plan/plan.h"

static struct arena_place first_place; /* where okram was when the main part had been tested */
static uint32_t moves_before;          /* moves made until then */
static bool main_is_tested, all_is_tested;

void tested_prepare(void)
{
    arena_place_make(&first_place);
}

void tested_main(void)
{
    if (!main_is_tested) {
        main_is_tested = true;
        ASSERT(arena_place_copy(&first_place, arena_where()) == STATUS_OK);
        moves_before = arena_moves();
    }
    /* okram has moved since: where it was is in the main part that has been tested now. */
    all_is_tested |= arena_moves() != moves_before;
}

void tested_left(void)
{
    all_is_tested = true;
}

bool tested_is_complete(uint64_t tested_bytes)
{
    return tested_bytes && plan.wanted_bytes - tested_bytes <= plan.wanted_bytes / 100;
}

void tested_end(bool stopped)
{
    size_t n;

    if (!main_is_tested) {
        pieces_exclude(&plan.ram, (struct span){ 0, UINT64_MAX },
                       plan_why[stopped ? WHY_STOPPED : WHY_HAMMER]);
        return;
    }
    if (all_is_tested)
        return;
    n = plan_list_place(&first_place);
    for (size_t i = 0; i < n; i++)
        pieces_exclude(&plan.ram, plan.spans[i], plan_why[WHY_OKRAM]);
    pieces_join(&plan.ram);
}
