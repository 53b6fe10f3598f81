// SPDX-License-Identifier: MIT
#include "sweep/march_halves.h"

#include <string.h>

#include "marches.h"
#include "sweep/tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *text;
    struct march_halves halves;
    uint32_t sweeps[2];
} good[] = {
    { "any(w0);del(2000);any(r0);any(w1);del(2000);any(r1)", { { 1, 4 }, 3, 2000 }, { 2, 2 } },
    { "any(w1);del(1);any(r1);any(w0);del(9);any(r0)", { { 1, 4 }, 3, 9 }, { 2, 2 } },
    { "any(w1);del(9);any(r1);any(w0);del(1);any(r0)", { { 1, 4 }, 3, 9 }, { 2, 2 } },
    /* as many elements as there are */
    { "up(w0);up(r0,w1);del(5);up(r1,w0);down(r0);up(w0,w1,r1);up(r1);del(5);down(r1);any(r1)",
      { { 2, 7 }, 5, 5 },
      { 6, 6 } },
    /* what is held is not read */
    { "any(w0);del(3);any(w1);del(3)", { { 1, 3 }, 2, 3 }, { 1, 1 } },
    /* the first pause holds nothing of the march */
    { "del(3);any(w1);del(3);any(r1)", { { 0, 2 }, 1, 3 }, { 0, 2 } },
};

static void is_cut_where_it_writes_first(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        struct march march = parsed(good[i].text);
        struct march_halves halves;

        assert_true(march_halve(&march, &halves));
        assert_memory_equal(&halves, &good[i].halves, sizeof(halves));
        for (uint32_t half = 0; half < 2; half++)
            assert_int_equal(march_half_sweeps(&march, &halves, half), good[i].sweeps[half]);
        assert_int_equal(march_half_sweeps(&march, &halves, 0) +
                             march_half_sweeps(&march, &halves, 1),
                         march_sweeps(&march));
    }
}

static void others_are_not_cut(void **state)
{
    static const char *const texts[] = {
        "any(w0);any(r0)",
        "any(w0);del(5);any(r0)",
        "del(1)",
        "del(1);del(1)",
        "any(w0);del(5);del(5);any(r0)",
        "any(w0);del(5);up(r0,w1);del(5);any(r1)", /* reads what may have been lost */
        "any(w0);del(5);any(r0);del(5);any(r0);any(w1);any(r1)",
        "any(w0);del(5);any(r0);any(w1);del(5);any(r1);any(w0);del(5);any(r0)",
    };
    struct march_halves halves, before;

    memset(&before, 0x5a, sizeof(before));
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct march march = parsed(texts[i]);

        halves = before;
        assert_false(march_halve(&march, &halves));
        assert_memory_equal(&halves, &before, sizeof(halves));
    }
}

/* The tests of data retention are cut, and so wait three times. */
static void the_tests_that_wait_are_cut(void **state)
{
    size_t n = 0;

    for (size_t i = 0; tests_row(i); i++) {
        struct march_halves halves;
        struct march march;

        if (!test_pause_ms(tests_row(i)))
            continue;
        test_march(tests_row(i), &march);
        assert_true(march_halve(&march, &halves));
        assert_int_equal((uint64_t)halves.pause_ms * 2 * tests_row(i)->rounds,
                         test_pause_ms(tests_row(i)));
        assert_int_equal(tests_row(i)->pairs, 0);
        n++;
    }
    assert_int_equal(n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_cut_where_it_writes_first),
        cmocka_unit_test(others_are_not_cut),
        cmocka_unit_test(the_tests_that_wait_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
