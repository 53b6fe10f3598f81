// SPDX-License-Identifier: MIT
#include "saved/json_line.h"

#include "tests/unit/unit.h"

static const struct {
    const char *line, *key, *value; /* NULL: none */
} cases[] = {
    { "{\"a\":\"x\",\"b\":12}", "a", "x" },
    { "{\"a\":\"x\",\"b\":12}", "b", "12" },
    { " { \"a\" : \"x\" , \"b\" : null } ", "b", "null" },
    { "{\"b\":{\"a\":1},\"a\":2}", "a", "2" },
    { "{\"b\":[[\"a\",\"]\"],{\"a\":[]}],\"a\":\"\"}", "a", "" },
    { "{\"b\":\"\\\"a\\\":1\",\"a\":3}", "a", "3" },
    { "{\"a\":\"q\\\"\\\\\\/\\n\xc3\xa4\"}", "a", "q\"\\/?\?\?" },
    { "{\"a\":[1]}", "a", NULL },
    { "{\"ab\":1}", "a", NULL },
    { "{\"b\":\"a\"}", "a", NULL },
    { "{}", "a", NULL },
    { "", "a", NULL },
    { "x", "a", NULL },
    { "{\"a\"", "a", NULL },
    { "{\"a\":", "a", NULL },
    { "{\"a\":,\"b\":1}", "a", NULL },
    { "{\"a\":\"x", "a", NULL },
    { "{\"a\":\"x\\", "a", NULL },
    { "{\"a\":\"x\n\"}", "a", NULL },
    { "{\"b\":[[[\",\"a\":1}", "a", NULL },
    { "{\"b\":1\n,\"a\":1}", "a", NULL },
    { "{\"b\":1]]]],\"a\":1}", "a", NULL },
    { "{\"a\":\"12345678\"}", "a", NULL }, /* one more than there is room */
};

TEST(finds_the_objects_own_key)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *line = strdup(cases[i].line), out[8];

        if (json_line_value(line, cases[i].key, out, sizeof(out)))
            assert_string_equal(out, cases[i].value ? cases[i].value : "nothing");
        else
            assert_null(cases[i].value);
        free(line);
    }
}

/* "name=value" of each, with blanks between them. */
TEST(the_fields_one_by_one)
{
    static const struct {
        const char *line, *fields;
    } lines[] = {
        { "{\"a\":1,\"b\":[\"x\",{}]}", "\"a\"=1 \"b\"=[\"x\",{}] " },
        { " { \"a\" : \"}\" , \"b\" : null } ", "\"a\"=\"}\" \"b\"=null " },
        { "{\"a\":1,b:2}", "\"a\"=1 " },
        { "{\"a\":1,", "\"a\"=1 " },
        { "{}", "" },
        { "[1]", "" },
        { "", "" },
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char *line = strdup(lines[i].line), text[64] = "";
        const char *at = line;
        struct json_field f;

        while (json_line_field(&at, &f)) {
            strncat(text, f.name, (size_t)(f.name_end - f.name));
            strcat(text, "=");
            strncat(text, f.value, (size_t)(f.end - f.value));
            strcat(text, " ");
        }
        assert_string_equal(text, lines[i].fields);
        free(line);
    }
}

TEST(whole_objects)
{
    assert_true(json_line_is_object("{\"a\":1}"));
    assert_true(json_line_is_object(" { \"a\" : [1] , \"b\" : \"}\" } "));
    assert_true(json_line_is_object("{\"a\":1}\n{\"b\""));
    assert_false(json_line_is_object("{\"a\":1}x"));
    assert_false(json_line_is_object("{\"a\":1"));
    assert_false(json_line_is_object("{\"a\":1,}"));
    assert_false(json_line_is_object("[1]"));
    assert_false(json_line_is_object(""));
}

TEST(the_texts_one_by_one)
{
    static const struct {
        const char *array, *texts;
    } arrays[] = {
        { "[\"a\",\"b\\\"\"]", "a b\" " },
        { "[ \"a\" , \"b\" ]", "a b " },
        { "[]", "" },
        { "[1]", "" },
        { "[\"a\",1]", "a " },
        { "\"a\"]", "" },
        { "[\"12345678\"]", "" }, /* one more than there is room */
    };

    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        char *array = strdup(arrays[i].array), text[64] = "", out[8];
        const char *at = array, *end = array + strlen(array);

        while (json_line_texts(&at, end, out, sizeof(out))) {
            strcat(text, out);
            strcat(text, " ");
        }
        assert_string_equal(text, arrays[i].texts);
        free(array);
    }
}

TEST(goes_from_line_to_line)
{
    const char *text = "a\nb\n";

    assert_ptr_equal(json_line_next(text), text + 2);
    assert_null(json_line_next(text + 2));
    assert_null(json_line_next("a"));
    assert_null(json_line_next(""));
}
