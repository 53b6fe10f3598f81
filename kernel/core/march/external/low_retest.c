// SPDX-License-Identifier: MIT
#include "external/low_retest.h"

#include "lib/panic.h"

#define MARCH       "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)"
#define BACKGROUNDS 2

struct word {
    uint64_t addr, wrong_bits;
};

static void note_bits(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct word *word = ctx;

    if (phys == word->addr)
        word->wrong_bits |= expected ^ found;
}

static uint64_t wrong_bits(const struct line_ops *ops, bool has_clflushopt, struct slice page,
                           uint64_t addr)
{
    struct word word = { .addr = addr };
    struct sweep sweep = {
        .ops = ops,
        .has_clflushopt = has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = note_bits, .ctx = &word },
    };
    struct march march;
    struct march_error error;

    ASSERT(march_parse(MARCH, &march, &error) == MARCH_OK);
    for (uint32_t number = 0; number < BACKGROUNDS; number++) {
        struct data data = data_background(number);

        for (uint32_t i = 0; i < march.n_elements; i++)
            sweep_element(&sweep, &march.element[i], &data, page);
    }
    return word.wrong_bits;
}

bool low_retest_is_fault(const struct line_ops *ops, bool has_clflushopt, struct slice page,
                         uint64_t addr)
{
    uint64_t bits = UINT64_MAX;

    for (unsigned i = 0; i < LOW_RETEST_TRIES && bits; i++)
        bits &= wrong_bits(ops, has_clflushopt, page, addr);
    return bits != 0;
}
