// SPDX-License-Identifier: MIT
/* Fault primitives in notation, and the bench's list of them. */

#include "tests/coverage/primitive.h"
#include "tests/unit/unit.h"

TEST(the_notation_is_understood)
{
    static const struct {
        const char *text;
        struct primitive primitive;
    } rows[] = {
        { "<0/1/->", { .victim = EVENT_IS_0, .faulty = true } },
        { "<1w0/1/->", { .victim = EVENT_WRITE_1_0, .faulty = true } },
        { "<1r1/0/1>", { .victim = EVENT_READ_1, .read = true } },
        { "<1;0/1/->", { .aggressor = EVENT_IS_1, .victim = EVENT_IS_0, .faulty = true } },
        { "<0w0;1/0/->", { .aggressor = EVENT_WRITE_0_0, .victim = EVENT_IS_1 } },
        { "<0;1r1/0/0>", { .aggressor = EVENT_IS_0, .victim = EVENT_READ_1 } },
        { "<0w1;x/!x/->", { .aggressor = EVENT_WRITE_0_1, .victim = EVENT_ANY, .inverts = true } },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct primitive p;

        assert_true(primitive_parse(rows[i].text, &p));
        assert_int_equal(p.aggressor, rows[i].primitive.aggressor);
        assert_int_equal(p.victim, rows[i].primitive.victim);
        assert_int_equal(p.inverts, rows[i].primitive.inverts);
        assert_int_equal(p.faulty, rows[i].primitive.faulty);
        assert_int_equal(p.read, rows[i].primitive.read);
    }
}

TEST(what_is_no_primitive_is_refused)
{
    static const char *const texts[] = {
        "",
        "<",
        "0/1/->",
        "<0/1/-",
        "<0/1/->>",
        "<0/2/->",
        "<0r1/1/1>",
        "<0r0/1/->",     /* what does the read give? */
        "<0w1/0/1>",     /* there is no read */
        "<x/!x/->",      /* nothing makes it fail */
        "<0;x/!x/->",    /* it never rests */
        "<x;0/1/->",     /* no such aggressor */
        "<0w1;0w1/0/->", /* two operations */
        "<0;0;0/1/->",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct primitive p = { .victim = EVENT_WRITE_1_1 };

        assert_false(primitive_parse(texts[i], &p));
        assert_int_equal(p.victim, EVENT_WRITE_1_1);
    }
}

TEST(the_list_is_complete)
{
    uint32_t count[N_PRIMITIVE_CLASSES] = { 0 };

    for (size_t i = 0; i < N_PRIMITIVES; i++) {
        struct primitive p;

        assert_true(primitive_parse(primitive_rows[i].notation, &p));
        assert_int_equal(p.aggressor == EVENT_NONE, primitive_rows[i].class == CLASS_ONE_CELL);
        count[primitive_rows[i].class]++;
        for (size_t k = 0; k < i; k++)
            assert_true(primitive_rows[k].class != primitive_rows[i].class ||
                        strcmp(primitive_rows[k].notation, primitive_rows[i].notation) != 0);
    }
    assert_int_equal(count[CLASS_ONE_CELL], 12);
    assert_int_equal(count[CLASS_TWO_CELL], 36);
    assert_int_equal(count[CLASS_WITHIN], 10);
}
