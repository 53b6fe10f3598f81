// SPDX-License-Identifier: MIT
#include "sweep/march_part.h"

#include "lib/minmax.h"

struct march_part march_whole(const struct march *march)
{
    return (struct march_part){ 0, march->n_elements };
}

struct march_part march_part_of_legs(const struct march *march, uint32_t first, uint32_t last)
{
    struct march_part part = { 0, 0 };

    while (part.first < march->n_elements && march_leg(march, part.first) < first)
        part.first++;
    part.end = part.first;
    while (part.end < march->n_elements && march_leg(march, part.end) <= last)
        part.end++;
    return part;
}

uint32_t march_part_sweeps(const struct march *march, struct march_part part)
{
    uint32_t n = 0;

    for (uint32_t i = part.first; i < part.end; i++)
        n += march->element[i].n_ops;
    return n;
}

bool march_element_writes(const struct march_element *element)
{
    for (uint32_t i = 0; i < element->n_ops; i++) {
        if (element->op[i].write)
            return true;
    }
    return false;
}

bool march_holds_complement(const struct march *march, uint32_t end)
{
    bool complement = false;

    for (uint32_t i = 0; i < end; i++) {
        const struct march_element *e = &march->element[i];

        for (uint32_t o = 0; o < e->n_ops; o++)
            complement = e->op[o].write ? e->op[o].complement : complement;
    }
    return complement;
}

struct march_element march_fill(bool complement)
{
    return (struct march_element){
        .kind = MARCH_ANY,
        .n_ops = 1,
        .op = { { .write = true, .complement = complement } },
    };
}

struct march_element march_verify(bool complement)
{
    return (struct march_element){
        .kind = MARCH_ANY,
        .n_ops = 1,
        .op = { { .complement = complement, .before = MARCH_FLUSH } },
    };
}

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
    struct march_part part = { 0, halves->second };

    if (half)
        part = (struct march_part){ halves->second, march->n_elements };
    return march_part_sweeps(march, part);
}
