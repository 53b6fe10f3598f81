// SPDX-License-Identifier: MIT
#include "badram/cost.h"

#include "machine.h"

static const struct span ram[] = { { 0, 16 * MiB }, { 4 * GiB, 16 * MiB }, { 0 } };

static struct pattern free_bits(uint64_t first_page, uint64_t free_pages)
{
    uint64_t mask = PATTERN_MASK_BITS & ~(free_pages << PAGE_SHIFT);

    return (struct pattern){ first_page << PAGE_SHIFT & mask, mask };
}

static const struct {
    uint64_t page, free, price;
    int64_t cost;
    uint64_t filled;
} cases[] = {
    { 5, 0, 0, 1, 0 },
    { 5, 0, 100, 101, 0 },
    { 0, 8, 0, 2, 8 },
    { 0, 8, 13, 2 + 2 * 13, 8 }, /* 14 pages more for a range less */
    { 0, 8, 14, 2 + 2 * 14, 8 }, /* as dear: left as it is */
    { 0, 8, 15, 16 + 15, 15 },
    { 0, 0x101, 0, 4, 0x101 },
    { 0, 0x11, 27, 4 + 2 * 27, 0x11 },
    { 0, 0x11, 29, 32 + 29, 0x1f },
    { 0, 0x24, 3, 4 + 4 * 3, 0x24 },
    { 0, 0x24, 6, 4 + 4 * 6, 0x24 },
    { 0, 0x24, 7, 16 + 2 * 7, 0x27 },        /* the lower gaps only */
    { 0, 0x24, 50, 64 + 50, 0x3f },          /* all of them */
    { 0, 0x100000, 5, 2 + 2 * 5, 0x100000 }, /* both sides of a hole: cannot be one */
    { 0x2000, 0xfff, 7, 0, 0xfff },          /* no RAM */
};

static void costs_of_pages_and_ranges(void **state)
{
    struct machine *m = machine_make(ram);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cost_rule rule = { &m->space, cases[i].price };
        struct pattern p = free_bits(cases[i].page, cases[i].free), filled;

        assert_int_equal(cost_of(&rule, p, &filled), cases[i].cost);
        assert_int_equal(cost_of(&rule, p, NULL), cases[i].cost);
        assert_int_equal(filled.mask, free_bits(0, cases[i].filled).mask);
        assert_true(pattern_contains(filled, p));
    }
    machine_free(m);
}

/* A higher price never makes a cover cheaper, nor is the bound above what is a quarter RAM. */
static void bounds_stay_below(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t seed = 5;

    for (int i = 0; i < 2000; i++) {
        struct pattern p = free_bits(machine_random(&seed) & 0xfff, machine_random(&seed) & 0xfff);
        int64_t before = 0;

        for (uint64_t price = 1; price <= COST_PRICE_MAX; price *= 4) {
            struct cost_rule rule = { &m->space, price };
            int64_t cost = cost_of(&rule, p, NULL);

            assert_true(cost >= before);
            assert_true(cost_bound(&rule, p) <= cost);
            before = cost;
        }
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_of_pages_and_ranges),
        cmocka_unit_test(bounds_stay_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
