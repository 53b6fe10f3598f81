// SPDX-License-Identifier: MIT
#include "lib/field_rows.h"

#include "lib/span.h"
#include "tests/unit/unit.h"

struct inner {
    uint8_t known, value;
};

struct values {
    bool yes;
    uint8_t small;
    uint32_t what, bits;
    int32_t milli;
    uint64_t large;
    double number;
    const char *text, *none;
    char chars[4];
    struct inner inner;
    const struct inner *behind;
    const uint16_t *listed;
    size_t n_listed;
    uint8_t array[2];
    uint8_t n_array;
    struct span span;
};

static const char *word(unsigned what)
{
    return what == 2 ? "two" : NULL;
}

static void write_sum(struct json *j, const struct field *f, const void *object)
{
    const struct values *v = object;

    json_integer(j, f->name, v->small + v->what);
}

static bool is_large(const void *object)
{
    return ((const struct values *)object)->large > 9;
}

static void expect(const struct field *rows, size_t n, const struct values *v, const char *text)
{
    char room[512];
    struct fmt_buffer out = fmt_buffer_make(room, sizeof(room));
    struct json j = { &out, true };

    fields_write(&j, rows, n, v);
    assert_string_equal(room, text);
}

#define EXPECT(v, text, ...)                                                                       \
    do {                                                                                           \
        static const struct field rows[] = { __VA_ARGS__ };                                        \
        expect(rows, sizeof(rows) / sizeof(rows[0]), &(struct values)v, text);                     \
    } while (0)
#define OF(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct field inner_rows[] = { { FIELD(inner, value) } };
static const struct field numbers[] = { { .type = FIELD_INTEGER, .size = 2, OR_NULL } };
static const struct field bytes[] = { { .type = FIELD_INTEGER, .size = 1, HEX } };

TEST(members_of_each_type)
{
    EXPECT(OF(.yes = true, .small = 255, .large = UINT64_MAX),
           "\"yes\":true,\"small\":255,\"large\":18446744073709551615", { FIELD(values, yes) },
           { FIELD(values, small) }, { FIELD(values, large) });
    EXPECT(OF(.number = 1.25, .milli = -1500), "\"number\":1.3,\"milli\":-1.50",
           { FIELD(values, number), DECIMALS(1) }, { FIELD(values, milli), MILLI });
    EXPECT(OF(.text = "a\"", .chars = "b"), "\"text\":\"a\\\"\",\"none\":null,\"chars\":\"b\"",
           { FIELD(values, text) }, { FIELD(values, none) }, { FIELD(values, chars) });
    EXPECT(OF(.large = 0x1fff, .what = 2),
           "\"large\":\"0x1fff\",\"page\":\"0x1000\",\"what\":\"two\"",
           { FIELD(values, large), HEX }, { "page", AT(values, large), PAGE },
           { FIELD(values, what), WORDS(word, 3) });
    EXPECT(OF(.small = 1, .what = 2), "\"sum\":3", { "sum", BY(FIELD_INTEGER, write_sum) });
}

TEST(objects_and_lists)
{
    static const uint16_t listed[] = { 7, 0 };
    static const struct inner behind = { 1, 9 };

    EXPECT(OF(.inner = { 1, 5 }, .behind = &behind),
           "\"inner\":{\"value\":5},\"behind\":{\"value\":9},\"value\":9",
           { "inner", OBJECT(values, inner, inner_rows) },
           { "behind", OBJECT_BEHIND(values, behind, inner, inner_rows) },
           { "value", THROUGH(values, behind, inner, value) });
    EXPECT(OF(.behind = NULL), "\"behind\":null,\"value\":null",
           { "behind", OBJECT_BEHIND(values, behind, inner, inner_rows) },
           { "value", THROUGH(values, behind, inner, value) });
    EXPECT(OF(.listed = listed, .n_listed = 2, .array = { 1, 0xff }, .n_array = 3),
           "\"listed\":[7,null],\"array\":[\"0x1\",\"0xff\"]",
           { "listed", LIST(values, listed, n_listed, numbers) },
           { "array", LIST(values, array, n_array, bytes) }); /* no more than it has room for */
    EXPECT(OF(.span = { 0x1000, 0x2000 }), "\"span\":[\"0x1000\",\"0x3000\"]",
           { "span", .type = FIELD_SPAN, PLACE(values, span) });
}

TEST(what_there_is_not)
{
    EXPECT(OF(.small = 0), "\"small\":null,\"text\":null,\"what\":null",
           { FIELD(values, small), OR_NULL }, { FIELD(values, text), OR_NULL },
           { FIELD(values, what), WORDS(word, 3), OR_NULL });
    EXPECT(OF(.chars = "", .text = ""), "", { FIELD(values, chars), IF_ANY },
           { FIELD(values, text), IF_ANY }, { FIELD(values, yes), IF_ANY },
           { "listed", LIST(values, listed, n_listed, numbers), IF_ANY });
    EXPECT(OF(.small = 1, .what = 2), "\"what\":2", { FIELD(values, small), MIN(2), IF_ANY },
           { FIELD(values, what), MIN(2), IF_ANY });
    EXPECT(OF(.large = 9), "", { FIELD(values, large), WHEN(is_large) });
    EXPECT(OF(.large = 10), "\"large\":10", { FIELD(values, large), WHEN(is_large) });
}

TEST(what_another_member_gives)
{
    EXPECT(OF(.yes = false), "\"c\":null,\"d\":0", { "a", AT(values, small), IF(values, yes) },
           { "c", AT(values, small), NULL_UNLESS(values, yes) },
           { "d", AT(values, small), NULL_IF(values, yes) });
    EXPECT(OF(.yes = true), "\"a\":0", { "a", AT(values, small), IF(values, yes) });
    EXPECT(OF(.what = 2), "\"a\":0,\"d\":0", { "a", AT(values, small), IF_IS(values, what, 2) },
           { "b", AT(values, small), IF_IS(values, what, 1) },
           { "c", AT(values, small), IF_IS_NOT(values, what, 2) },
           { "d", AT(values, small), IF_IS_NOT(values, what, 1) });
    EXPECT(OF(.bits = 4), "\"b\":0", { "a", AT(values, small), IF_BIT(values, bits, 1) },
           { "b", AT(values, small), IF_BIT(values, bits, 2) });
    EXPECT(OF(.inner = { 0, 5 }), "\"inner\":null",
           { "inner", OBJECT(values, inner, inner_rows), NULL_UNLESS(values, inner.known) });
}
