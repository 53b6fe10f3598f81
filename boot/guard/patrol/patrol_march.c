// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_march.h"

#include "lib/panic.h"
#include "lib/string.h"

#define ADDRESS "up(w0);up(r0);down(w1);down(r1)"
#define MARCH_C "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)"

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t wrong)
{
    struct patrol_found *found = ctx;
    uint64_t page = (phys - found->block.base) / PAGE_SIZE;

    if (patrol_found_is_bad(found, page))
        return;
    found->bad[page / 64] |= UINT64_C(1) << page % 64;
    found->n_bad++;
}

static struct slice slice_of(struct span s)
{
    return (struct slice){ (struct line *)(uintptr_t)s.base, s.base, s.size / LINE_SIZE };
}

static bool run_element(const struct patrol_march *march, const struct sweep *sweep,
                        const struct march_element *element, const struct data *data,
                        struct span block)
{
    bool down = element->kind == MARCH_DOWN;

    while (block.size) {
        sweep_element(sweep, element, data,
                      slice_of(sweep_next_slice(&block, down, SWEEP_SMALL_SLICE)));
        if (march->is_over(march->ctx))
            return false;
    }
    return true;
}

static bool run_march(const struct patrol_march *march, const struct sweep *sweep,
                      const char *notation, const struct data *data, struct span block)
{
    struct march elements;
    struct march_error error;

    ASSERT(march_parse(notation, &elements, &error) == MARCH_OK);
    for (uint32_t i = 0; i < elements.n_elements; i++) {
        if (!run_element(march, sweep, &elements.element[i], data, block))
            return false;
    }
    return true;
}

bool patrol_march_run(const struct patrol_march *march, struct span block,
                      struct patrol_found *ret_found)
{
    const struct sweep sweep = {
        .ops = march->ops,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = report, .ctx = ret_found },
    };
    struct data address = data_address(march->lap);
    struct data background = data_background(march->lap % DATA_BACKGROUNDS_WORD);

    ASSERT(block.base % PAGE_SIZE == 0 && block.size % PAGE_SIZE == 0 &&
           block.size <= PATROL_BLOCK_MAX);
    memset(ret_found, 0, sizeof(*ret_found));
    ret_found->block = block;
    return run_march(march, &sweep, ADDRESS, &address, block) &&
           run_march(march, &sweep, MARCH_C, &background, block);
}
