// SPDX-License-Identifier: MIT
#include "sweep/march_part.h"

#include <string.h>

#include "marches.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *text;
    uint32_t first, last;
    struct march_part part;
    uint32_t sweeps;
    bool complement; /* is held after it */
} cases[] = {
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);up(r1,w0);any(r0)", 0, 0, { 0, 3 }, 5, false },
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);up(r1,w0);any(r0)", 1, 1, { 3, 4 }, 2, true },
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);up(r1,w0);any(r0)", 2, 2, { 4, 6 }, 3, false },
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);up(r1,w0);any(r0)",
      1,
      UINT32_MAX,
      { 3, 6 },
      5,
      false },
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);up(r1,w0);any(r0)",
      3,
      UINT32_MAX,
      { 6, 6 },
      0,
      false },
    { "down(w1);any(r1);up(r1,w0,w1,r1);any(r1);down(r1)", 0, 0, { 0, 2 }, 2, true },
    { "down(w1);any(r1);up(r1,w0,w1,r1);any(r1);down(r1)", 1, 2, { 2, 5 }, 6, true },
    { "any(w1)", 0, 0, { 0, 1 }, 1, true },
};

static void parts_of_turns(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct march march = parsed(cases[i].text);
        struct march_part part = march_part_of_legs(&march, cases[i].first, cases[i].last);

        assert_memory_equal(&part, &cases[i].part, sizeof(part));
        assert_int_equal(march_part_sweeps(&march, part), cases[i].sweeps);
        assert_int_equal(march_holds_complement(&march, part.end), cases[i].complement);
    }
}

static void the_whole(void **state)
{
    struct march march = parsed("any(w0);up(r0,w1);del(5);down(r1)");

    assert_int_equal(march_whole(&march).first, 0);
    assert_int_equal(march_whole(&march).end, 4);
    assert_int_equal(march_part_sweeps(&march, march_whole(&march)), march_sweeps(&march));
}

static void what_writes(void **state)
{
    struct march march = parsed("any(w0);up(r0,r0);up(r0,w1);del(5);down(r1)");
    static const bool writes[] = { true, false, true, false, false };

    for (uint32_t i = 0; i < march.n_elements; i++)
        assert_int_equal(march_element_writes(&march.element[i]), writes[i]);
}

static void are_equal(struct march_element a, struct march_element b)
{
    assert_int_equal(a.kind, b.kind);
    assert_int_equal(a.n_ops, b.n_ops);
    assert_int_equal(a.op[0].write, b.op[0].write);
    assert_int_equal(a.op[0].complement, b.op[0].complement);
    assert_int_equal(a.op[0].before, b.op[0].before);
}

/* As the parser makes them, of a line that was last read. */
static void fill_and_verify(void **state)
{
    struct march zeros = parsed("any(w0);any(r0);any(r0)"),
                 ones = parsed("any(w1);any(r1);any(r1)");

    are_equal(march_fill(false), zeros.element[0]);
    are_equal(march_fill(true), ones.element[0]);
    are_equal(march_verify(false), zeros.element[2]);
    are_equal(march_verify(true), ones.element[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_turns),
        cmocka_unit_test(the_whole),
        cmocka_unit_test(what_writes),
        cmocka_unit_test(fill_and_verify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
