// SPDX-License-Identifier: MIT
#include "lib/json.h"

#include <math.h>

#include "tests/unit/unit.h"

struct written {
    char text[512];
    struct fmt_buffer out;
    struct json json;
};

static struct json *begin(struct written *w)
{
    w->out = fmt_buffer_make(w->text, sizeof(w->text));
    w->json = (struct json){ &w->out, true };
    json_object(&w->json, NULL);
    return &w->json;
}

static void expect(struct written *w, const char *text)
{
    json_close(&w->json, "}");
    assert_string_equal(w->text, text);
}

TEST(values)
{
    struct written w;
    struct json *j = begin(&w);

    json_text(j, "a", "b");
    json_text(j, "none", NULL);
    json_integer(j, "n", 18446744073709551615u);
    json_bool(j, "yes", true);
    json_bool(j, "no", false);
    json_null(j, "z");
    json_hex(j, "at", 0xabc000);
    json_bytes(j, "raw", (const uint8_t[]){ 0, 0xff }, 2);
    expect(&w, "{\"a\":\"b\",\"none\":null,\"n\":18446744073709551615,\"yes\":true,\"no\":false,"
               "\"z\":null,\"at\":\"0xabc000\",\"raw\":\"00ff\"}");
}

TEST(what_is_unknown_is_null)
{
    struct written w;
    struct json *j = begin(&w);

    json_text_if_any(j, "text", "");
    json_number(j, "nan", NAN, 1);
    json_number(j, "inf", INFINITY, 1);
    json_text_if_any(j, "text", "x");
    json_number(j, "third", 1.0 / 3, 2);
    expect(&w, "{\"text\":null,\"nan\":null,\"inf\":null,"
               "\"text\":\"x\",\"third\":0.33}");
}

TEST(brackets_and_commas)
{
    static const char *const two[] = { "x", "y" };
    struct written w;
    struct json *j = begin(&w);

    json_object(j, "o");
    json_integer(j, "n", 1);
    json_close(j, "}");
    json_array(j, "objects");
    json_object(j, NULL);
    json_close(j, "}");
    json_object(j, NULL);
    json_integer(j, "n", 2);
    json_close(j, "}");
    json_close(j, "]");
    json_array(j, "pairs");
    json_hex_pair(j, NULL, 0, 0x1000);
    json_hex_pair(j, NULL, 0x2000, 0x3000);
    json_close(j, "]");
    json_texts(j, "none", two, 0);
    json_texts(j, "two", two, 2);
    expect(&w, "{\"o\":{\"n\":1},\"objects\":[{},{\"n\":2}],"
               "\"pairs\":[[\"0x0\",\"0x1000\"],[\"0x2000\",\"0x3000\"]],"
               "\"none\":[],\"two\":[\"x\",\"y\"]}");
}

TEST(text_is_plain_ascii)
{
    struct written w;

    json_text(begin(&w), "t", "a\"b\\c\n\x01\xe4");
    json_close(&w.json, "}");
    for (const char *c = w.text; *c; c++)
        assert_in_range(*c, ' ', '~');
    assert_non_null(strstr(w.text, "a\\\"b\\\\c"));
}
