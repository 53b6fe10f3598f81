// SPDX-License-Identifier: MIT
#include "sweep/march_part.h"

#include "marches.h"
#include "sweep/tests.h"

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

TEST(parts_of_turns)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct march march = parsed(cases[i].text);
        struct march_part part = march_part_of_legs(&march, cases[i].first, cases[i].last);

        assert_memory_equal(&part, &cases[i].part, sizeof(part));
        assert_int_equal(march_part_sweeps(&march, part), cases[i].sweeps);
        assert_int_equal(march_holds_complement(&march, part.end), cases[i].complement);
    }
}

TEST(the_whole)
{
    struct march march = parsed("any(w0);up(r0,w1);del(5);down(r1)");

    assert_int_equal(march_whole(&march).first, 0);
    assert_int_equal(march_whole(&march).end, 4);
    assert_int_equal(march_part_sweeps(&march, march_whole(&march)), march_sweeps(&march));
}

TEST(what_writes)
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
TEST(fill_and_verify)
{
    struct march zeros = parsed("any(w0);any(r0);any(r0)"),
                 ones = parsed("any(w1);any(r1);any(r1)");

    are_equal(march_fill(false), zeros.element[0]);
    are_equal(march_fill(true), ones.element[0]);
    are_equal(march_verify(false), zeros.element[2]);
    are_equal(march_verify(true), ones.element[2]);
}

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

TEST(is_cut_where_it_writes_first)
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

TEST(others_are_not_cut)
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
TEST(the_tests_that_wait_are_cut)
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
