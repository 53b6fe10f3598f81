// SPDX-License-Identifier: MIT
#include "sweep/march_halves.h"

#include "lib/minmax.h"

static uint32_t count_pauses(const struct march *march)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < march->n_elements; i++)
        n += march->element[i].kind == MARCH_PAUSE;
    return n;
}

static uint32_t next_pause(const struct march *march, uint32_t i)
{
    while (march->element[i].kind != MARCH_PAUSE)
        i++;
    return i;
}

static bool writes_first(const struct march_element *e)
{
    return e->kind != MARCH_PAUSE && e->op[0].write;
}

bool march_halve(const struct march *march, struct march_halves *ret)
{
    uint32_t first, last, second;

    if (count_pauses(march) != 2)
        return false;
    first = next_pause(march, 0);
    last = next_pause(march, first + 1);
    second = first + 1;
    while (second < last && !writes_first(&march->element[second]))
        second++;
    if (second == last)
        return false;
    *ret = (struct march_halves){
        .pause = { first, last },
        .second = second,
        .pause_ms =
            (uint32_t)max_u64(march->element[first].pause_ms, march->element[last].pause_ms),
    };
    return true;
}

uint32_t march_half_sweeps(const struct march *march, const struct march_halves *halves,
                           uint32_t half)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < march->n_elements; i++)
        n += (i >= halves->second) == half ? march->element[i].n_ops : 0;
    return n;
}
