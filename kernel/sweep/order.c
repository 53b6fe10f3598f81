// SPDX-License-Identifier: MIT
#include "sweep/order.h"

/* Digits of worker numbers: as many values as the rounds after the first need to distinguish all.
 */
static uint32_t digit_values(struct order o)
{
    for (uint32_t base = 1;; base++) {
        uint64_t told_apart = 1;

        for (uint32_t r = 1; r < o.n_rounds && told_apart < o.n_workers; r++)
            told_apart *= base;
        if (told_apart >= o.n_workers || base >= o.n_workers)
            return base;
    }
}

static bool by_turns(struct order o)
{
    return o.n_turns >= ORDER_TURNS;
}

static uint32_t late_steps(struct order o, uint32_t worker)
{
    uint32_t base = digit_values(o);

    if (by_turns(o) && o.turn == 0)
        return worker;
    if (by_turns(o))
        return o.turn == 2 ? o.n_workers - 1 - worker : 0;
    if (o.round == 0)
        return 0;
    for (uint32_t r = 1; r < o.round; r++)
        worker /= base;
    return worker % base;
}

static uint32_t most_late_steps(struct order o)
{
    if (by_turns(o))
        return o.turn == 0 || o.turn == 2 ? o.n_workers - 1 : 0;
    return o.round ? digit_values(o) - 1 : 0;
}

uint32_t order_steps(struct order o)
{
    return ORDER_SECTIONS + most_late_steps(o);
}

bool order_section(struct order o, uint32_t worker, uint32_t step, bool down, uint32_t *ret_section)
{
    uint32_t now = down ? order_steps(o) - 1 - step : step;
    uint32_t late = late_steps(o, worker);

    if (now < late || now - late >= ORDER_SECTIONS)
        return false;
    *ret_section = now - late;
    return true;
}

enum order_lanes order_lanes(struct order o)
{
    static const enum order_lanes turns[] = { ORDER_LANES_LATE, ORDER_LANES, ORDER_LANES_EARLY };

    if (by_turns(o))
        return o.turn < ORDER_TURNS ? turns[o.turn] : ORDER_LANES;
    if (o.n_rounds < 2)
        return ORDER_ONE_LANE;
    return o.round % 2 ? ORDER_OTHER_LANES : ORDER_LANES;
}
