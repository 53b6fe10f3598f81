// SPDX-License-Identifier: MIT
#include "sweep/march.h"

#include "tests/unit/unit.h"

#define OPS_16 "w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0,w0"
#define ANY_8  "any(w0);any(w0);any(w0);any(w0);any(w0);any(w0);any(w0);any(w0)"

/* A march written back in a canonical way: direction letters, ops, and before each op '|' for a
 * fence and '!' for a flush. */
static void describe(const struct march *m, char *out, size_t size)
{
    static const char *const kinds[] = {
        [MARCH_ANY] = "any", [MARCH_UP] = "up", [MARCH_DOWN] = "down", [MARCH_PAUSE] = "del"
    };
    static const char *const before[] = {
        [MARCH_NOTHING] = "", [MARCH_FENCE] = "|", [MARCH_FLUSH] = "!"
    };
    size_t n = 0;

    out[0] = 0;
    for (uint32_t i = 0; i < m->n_elements; i++) {
        const struct march_element *e = &m->element[i];

        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "", kinds[e->kind]);
        if (e->kind == MARCH_PAUSE)
            n += (size_t)snprintf(out + n, size - n, " %u", e->pause_ms);
        for (uint32_t o = 0; o < e->n_ops; o++)
            n += (size_t)snprintf(out + n, size - n, " %s%c%d", before[e->op[o].before],
                                  e->op[o].write ? 'w' : 'r', e->op[o].complement);
        assert_true(n < size);
    }
}

static const struct {
    const char *text, *means;
    uint32_t sweeps;
} good[] = {
    { "any(w0)", "any w0", 1 },
    { "{any(w0)}", "any w0", 1 },
    { "any(w0);up(r0,w1);down(r1,w0)", "any w0 up r0 w1 down r1 w0", 5 },
    { " { any ( w0 , w1 ) ; down ( r1 ) } ", "any w0 |w1 down r1", 3 },
    { "any(w1);del(1);any(r1);del(86400000)", "any w1 del 1 any r1 del 86400000", 2 },
    { "del(007);any(w0)", "del 7 any w0", 1 },

    /* a read after a read is flushed, within an element, across elements and across a pause */
    { "any(w0);any(r0);any(r0)", "any w0 any r0 any !r0", 3 },
    { "any(w0);any(r0);del(5);any(r0)", "any w0 any r0 del 5 any !r0", 3 },
    { "any(w0);up(r0,w1,r1);up(r1,w0)", "any w0 up r0 w1 |r1 up !r1 w0", 6 },
    { "any(w0);up(r0,r0,w1,w1)", "any w0 up r0 !r0 w1 |w1", 5 },
    /* a write is not */
    { "any(w0);any(r0);any(w1);any(r1)", "any w0 any r0 any w1 any r1", 4 },

    { "any(" OPS_16 ")", "any w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0 |w0", 16 },
    { ANY_8 ";" ANY_8,
      "any w0 any w0 any w0 any w0 any w0 any w0 any w0 any w0 "
      "any w0 any w0 any w0 any w0 any w0 any w0 any w0 any w0",
      16 },
};

TEST(parses_marches)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct march march;
        struct march_error error = { .status = MARCH_OK, .position = 77 };
        char text[1024];

        memset(&march, 0xee, sizeof(march));
        assert_int_equal(march_parse(good[i].text, &march, &error), MARCH_OK);
        assert_int_equal(error.position, 77);
        describe(&march, text, sizeof(text));
        assert_string_equal(text, good[i].means);
        assert_int_equal(march_sweeps(&march), good[i].sweeps);
    }
}

static const struct {
    const char *text;
    enum march_status status;
    size_t position;
    const char *expected;
} bad[] = {
    { "", MARCH_UNEXPECTED, 0, "any, up, down or del" },
    { "   ", MARCH_UNEXPECTED, 3, "any, up, down or del" },
    { "{}", MARCH_UNEXPECTED, 1, "any, up, down or del" },
    { "{", MARCH_UNEXPECTED, 1, "any, up, down or del" },
    { "left(w0)", MARCH_UNEXPECTED, 0, "any, up, down or del" },
    { "ANY(w0)", MARCH_UNEXPECTED, 0, "any, up, down or del" },
    { "any(w0);", MARCH_UNEXPECTED, 8, "any, up, down or del" },
    { "any(w0);;up(r0)", MARCH_UNEXPECTED, 8, "any, up, down or del" },
    { "any(w0); ups(r0)", MARCH_UNEXPECTED, 11, "'('" },
    { "any", MARCH_UNEXPECTED, 3, "'('" },
    { "any w0", MARCH_UNEXPECTED, 4, "'('" },
    { "any(", MARCH_UNEXPECTED, 4, "r0, r1, w0 or w1" },
    { "any()", MARCH_UNEXPECTED, 4, "r0, r1, w0 or w1" },
    { "any(w2)", MARCH_UNEXPECTED, 4, "r0, r1, w0 or w1" },
    { "any(w 0)", MARCH_UNEXPECTED, 4, "r0, r1, w0 or w1" },
    { "any(w0,)", MARCH_UNEXPECTED, 7, "r0, r1, w0 or w1" },
    { "any(w0", MARCH_UNEXPECTED, 6, "',' or ')'" },
    { "any(w00)", MARCH_UNEXPECTED, 6, "',' or ')'" },
    { "any(w0;r0)", MARCH_UNEXPECTED, 6, "',' or ')'" },
    { "any(w0)up(r0)", MARCH_UNEXPECTED, 7, "';' or the end" },
    { "any(w0)}", MARCH_UNEXPECTED, 7, "';' or the end" },
    { "{any(w0)", MARCH_UNEXPECTED, 8, "';' or '}'" },
    { "{any(w0)} x", MARCH_UNEXPECTED, 10, "the end" },
    { "{{any(w0)}}", MARCH_UNEXPECTED, 1, "any, up, down or del" },
    { "any(w0);del()", MARCH_UNEXPECTED, 12, "a number of milliseconds" },
    { "any(w0);del(-1)", MARCH_UNEXPECTED, 12, "a number of milliseconds" },
    { "any(w0);del(5s)", MARCH_UNEXPECTED, 13, "')'" },
    { "any(w0);del(0)", MARCH_BAD_PAUSE, 12, "1 to 86400000 milliseconds" },
    { "any(w0);del( 86400001)", MARCH_BAD_PAUSE, 13, "1 to 86400000 milliseconds" },
    { "del(99999999999999999999999999999999)", MARCH_BAD_PAUSE, 4, "1 to 86400000 milliseconds" },

    { "any(r0)", MARCH_READ_BEFORE_WRITE, 4, "a write before the first read" },
    { "del(1);up( r1,w0)", MARCH_READ_BEFORE_WRITE, 11, "a write before the first read" },
    { "any(w0);up(r1,w0)", MARCH_READS_OTHER_VALUE, 11, "r0 after w0" },
    { "any(w0);up(r0,w1,r0)", MARCH_READS_OTHER_VALUE, 17, "r1 after w1" },
    { "any(w0);any(r0);down(w1);del(9);any(r0)", MARCH_READS_OTHER_VALUE, 36, "r1 after w1" },

    { "any(" OPS_16 ",r0)", MARCH_TOO_LONG, 52, "at most 16 operations in an element" },
    { ANY_8 ";" ANY_8 ";up(r0)", MARCH_TOO_LONG, 128, "at most 16 elements" },
};

TEST(says_where_and_why_not)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct march march = { .n_elements = 99 };
        struct march_error error = { 0 };

        assert_int_equal(march_parse(bad[i].text, &march, &error), bad[i].status);
        assert_int_equal(error.status, bad[i].status);
        assert_string_equal(error.expected, bad[i].expected);
        assert_int_equal(error.position, bad[i].position);
        assert_int_equal(march.n_elements, 99);
    }
}

/* No text however cut makes the parser read past its end (ASan) or accept half a march. */
TEST(every_prefix_is_refused_or_whole)
{
    static const char text[] = "{any(w0);up(r0,w1);del(20);down(r1,w0)}";

    for (size_t n = 0; n < sizeof(text); n++) {
        char *part = test_malloc(n + 1);
        struct march march;
        struct march_error error;
        enum march_status status;

        memcpy(part, text, n);
        part[n] = 0;
        status = march_parse(part, &march, &error);
        assert_int_equal(status, n == sizeof(text) - 1 ? MARCH_OK : MARCH_UNEXPECTED);
        test_free(part);
    }
}

TEST(turns_begin_where_the_direction_changes)
{
    static const struct {
        const char *march, *legs; /* of each element */
        uint32_t equal;
    } cases[] = {
        { "any(w0)", "0", 1 },
        { "down(w0);any(r0)", "00", 1 },
        { "any(w0);up(r0,w1);any(r1);up(r1,w0);down(r0,w1);del(5);down(r1,w0);any(r0)", "00001111",
          2 },
        { "up(w0);down(r0);up(w1);down(r1)", "0123", 0 },
        { "down(w0);up(r0,w1);down(r1,w0)", "012", 0 },
        { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);up(r0,w1);up(r1,w0);any(r0)",
          "00011222", 3 },
        { "any(w0);down(r0,w1);down(r1,w0);up(r0,w1);up(r1,w0);down(r0,w1,r1);down(r1,w0)",
          "0001122", 0 },
        { "any(w0);up(r0,w0);up(r0,w0);up(r0,w0);down(r0,w0);up(r0,w0);up(r0,w0)", "0000122", 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct march march;
        struct march_error error;

        assert_int_equal(march_parse(cases[i].march, &march, &error), MARCH_OK);
        assert_int_equal(march.n_elements, strlen(cases[i].legs));
        for (uint32_t e = 0; e < march.n_elements; e++)
            assert_int_equal(march_leg(&march, e), cases[i].legs[e] - '0');
        assert_int_equal(march_legs(&march), cases[i].equal);
    }
}
