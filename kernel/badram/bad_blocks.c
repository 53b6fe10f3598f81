// SPDX-License-Identifier: MIT
#include "badram/bad_blocks.h"

static void look_ahead(struct bad_blocks *b)
{
    struct page_run run;

    b->ahead = (struct page_run){ 0 };
    if (fault_log_next_run(b->log, &b->index, &run))
        b->ahead = run;
}

struct bad_blocks bad_blocks_start(const struct fault_log *log)
{
    struct bad_blocks b = { .log = log };

    look_ahead(&b);
    return b;
}

static uint64_t next_power_of_2(uint64_t x)
{
    uint64_t power = 1;

    while (power < x)
        power <<= 1;
    return power;
}

/* Takes the next run, joined with those after it that only a gap of RAM separates from it. */
static bool next_run(struct bad_blocks *b)
{
    const struct page_space *space = b->log->space;
    size_t i;

    if (b->ahead.count == 0)
        return false;
    b->at = b->lowest = b->ahead.first;
    b->limit = b->end = page_run_end(b->ahead);
    i = page_space_extent(space, b->at);
    if (b->at == space->extent[i].run.first)
        b->lowest = i ? page_run_end(space->extent[i - 1].run) : 0;
    look_ahead(b);

    for (; b->end == page_run_end(space->extent[i].run); i++) {
        if (i + 1 == space->n_extents) {
            b->limit = next_power_of_2(b->end);
            break;
        }
        b->limit = space->extent[i + 1].run.first;
        if (b->ahead.count == 0 || b->ahead.first != b->limit)
            break;
        b->limit = b->end = page_run_end(b->ahead);
        look_ahead(b);
    }
    return true;
}

bool bad_blocks_next(struct bad_blocks *b, struct pattern *ret_block)
{
    uint64_t first, size = 1;
    unsigned order = 0;

    if (b->at >= b->end && !next_run(b))
        return false;
    first = b->at;
    while (first + size < b->end) {
        uint64_t wider = first & ~(2 * size - 1);

        if (wider < b->lowest || wider + 2 * size > b->limit)
            break;
        first = wider;
        size *= 2;
        order++;
    }
    *ret_block = pattern_block(first, order);
    b->at = first + size;
    return true;
}
