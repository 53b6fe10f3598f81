// SPDX-License-Identifier: MIT
#include "plan/cuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Two adjoin, one ends at the end of all that there is. */
static const struct cut cuts[] = {
    { { 0x3000, 0x2000 }, CUT_LEFT_OUT },
    { { 0x5000, 0x1000 }, CUT_KEPT },
    { { 0x9000, 0x1000 }, CUT_LEFT_OUT },
    { { 0xe000, 0x2000 }, CUT_KEPT },
};

struct taken {
    struct span span;
    bool left_out;
};

static size_t take_all(struct span left, bool down, size_t n_cuts, struct taken *ret)
{
    size_t n = 0;

    while (left.size) {
        uint64_t before = left.size;

        ret[n].span = cuts_next(cuts, cuts + n_cuts, &left, down, &ret[n].left_out);
        assert_true(ret[n].span.size);
        assert_int_equal(before, left.size + ret[n].span.size);
        n++;
    }
    return n;
}

static const struct {
    struct span span;
    size_t n;
    struct taken taken[8];
} cases[] = {
    { { 0x1000, 0x2000 }, 1, { { { 0x1000, 0x2000 }, false } } },
    { { 0x6000, 0x3000 }, 1, { { { 0x6000, 0x3000 }, false } } },
    { { 0x3000, 0x2000 }, 1, { { { 0x3000, 0x2000 }, true } } },
    { { 0x4000, 0x800 }, 1, { { { 0x4000, 0x800 }, true } } },
    { { 0x2fc0, 0x80 }, 2, { { { 0x2fc0, 0x40 }, false }, { { 0x3000, 0x40 }, true } } },
    { { 0x5fc0, 0x80 }, 2, { { { 0x5fc0, 0x40 }, false }, { { 0x6000, 0x40 }, false } } },
    { { 0x4800, 0x1000 }, 2, { { { 0x4800, 0x800 }, true }, { { 0x5000, 0x800 }, false } } },
    { { 0x1000, 0xf000 },
      7,
      { { { 0x1000, 0x2000 }, false },
        { { 0x3000, 0x2000 }, true },
        { { 0x5000, 0x1000 }, false },
        { { 0x6000, 0x3000 }, false },
        { { 0x9000, 0x1000 }, true },
        { { 0xa000, 0x4000 }, false },
        { { 0xe000, 0x2000 }, false } } },
};

static void up_takes_from_the_beginning(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct taken taken[COUNT(cases[0].taken)] = { 0 };

        assert_int_equal(take_all(cases[i].span, false, COUNT(cuts), taken), cases[i].n);
        for (size_t t = 0; t < cases[i].n; t++) {
            assert_memory_equal(&taken[t].span, &cases[i].taken[t].span, sizeof(struct span));
            assert_int_equal(taken[t].left_out, cases[i].taken[t].left_out);
        }
    }
}

static void down_takes_the_same_from_the_end(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct taken taken[COUNT(cases[0].taken)] = { 0 };
        size_t n = cases[i].n;

        assert_int_equal(take_all(cases[i].span, true, COUNT(cuts), taken), n);
        for (size_t t = 0; t < n; t++) {
            assert_memory_equal(&taken[n - 1 - t].span, &cases[i].taken[t].span,
                                sizeof(struct span));
            assert_int_equal(taken[n - 1 - t].left_out, cases[i].taken[t].left_out);
        }
    }
}

static void without_cuts_all_is_taken_at_once(void **state)
{
    struct taken taken[2];

    assert_int_equal(take_all((struct span){ 0x1000, 0xf000 }, false, 0, taken), 1);
    assert_false(taken[0].left_out);
    assert_int_equal(take_all((struct span){ 0x1000, 0xf000 }, true, 0, taken), 1);
    assert_false(taken[0].left_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_takes_from_the_beginning),
        cmocka_unit_test(down_takes_the_same_from_the_end),
        cmocka_unit_test(without_cuts_all_is_taken_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
