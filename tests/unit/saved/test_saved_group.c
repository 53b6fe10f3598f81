// SPDX-License-Identifier: MIT
#include "saved/saved_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[4096];

/* The record as text; NULL: there is none. */
static const char *record(const char *line, size_t k)
{
    static char out[512];
    struct fmt_buffer b = fmt_buffer_make(out, sizeof(out));

    return saved_group_record(line, k, &b) ? out : NULL;
}

struct group {
    const char *line[SAVED_GROUP_MAX];
    size_t n;
    const char *joined; /* NULL: they cannot be joined */
};

static const struct group groups[] = {
    { { "{\"a\":1,\"b\":\"x\"}\n", "{\"a\":2,\"b\":\"x\"}\n", "{\"a\":3,\"b\":\"x\"}\n" },
      3,
      "{\"a\":1,\"b\":\"x\",\"also\":{\"a\":[2,3]}}\n" },
    { { "{\"a\":1,\"b\":[1,{\"c\":2}]}\n", "{\"a\":null,\"b\":[]}\n" },
      2,
      "{\"a\":1,\"b\":[1,{\"c\":2}],\"also\":{\"a\":[null],\"b\":[[]]}}\n" },
    { { "{\"a\":\"]},\\\"\"}\n", "{\"a\":\"x\"}\n", "{\"a\":\"x\"}\n" },
      3,
      "{\"a\":\"]},\\\"\",\"also\":{\"a\":[\"x\",\"x\"]}}\n" },
    { { "{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":2}\n" },
      2,
      "{\"a\":1,\"b\":2,\"also\":{\"a\":[1]}}\n" },
    { { "{\"a\":1}\n", "{\"b\":1}\n" }, 2, NULL },
    { { "{\"a\":1}\n", "{\"a\":1,\"b\":1}\n" }, 2, NULL },
    { { "{\"a\":1,\"b\":1}\n", "{\"a\":1}\n" }, 2, NULL },
    { { "{}\n", "{}\n" }, 2, NULL },
};

static void joined_and_separated_again(void **state)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        const struct group *g = &groups[i];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        assert_int_equal(saved_group_join(g->line, g->n, &b), g->joined != NULL);
        if (!g->joined)
            continue;
        assert_string_equal(text, g->joined);
        for (size_t k = 0; k < g->n; k++) {
            const char *found = record(text, k);

            assert_non_null(found);
            assert_memory_equal(found, g->line[k], strlen(found));
            assert_int_equal(strlen(found) + 1, strlen(g->line[k]));
        }
        assert_null(record(text, g->n));
    }
}

/* In every room, none of it is written past. */
static void there_may_be_no_room(void **state)
{
    const struct group *g = &groups[0];
    size_t whole = strlen(g->joined);

    for (size_t room = 1; room <= whole + 1; room++) {
        char *out = malloc(room); /* ASan sees its end */
        struct fmt_buffer b = fmt_buffer_make(out, room);

        assert_non_null(out);
        assert_int_equal(saved_group_join(g->line, g->n, &b), room > whole);
        free(out);
    }
    for (size_t room = 1; room <= 16; room++) {
        char *out = malloc(room);
        struct fmt_buffer b = fmt_buffer_make(out, room);

        assert_non_null(out);
        assert_int_equal(saved_group_record(g->joined, 1, &b),
                         room > strlen("{\"a\":2,\"b\":\"x\"}"));
        free(out);
    }
}

/* What anybody may have written: the records, as far as there are any, then the end. */
static const struct {
    const char *line;
    const char *record[4];
} hostile[] = {
    { "{\"a\":1}", { "{\"a\":1}" } },
    { "{\"a\":1,\"also\":{\"a\":[2],\"b\":[3,4]}}", { "{\"a\":1}", "{\"a\":2}" } },
    { "{\"a\":1,\"b\":2,\"also\":{\"a\":[3,4],\"b\":[5]}}",
      { "{\"a\":1,\"b\":2}", "{\"a\":3,\"b\":5}", "{\"a\":4,\"b\":2}" } },
    { "{\"a\":1,\"also\":[2]}", { "{\"a\":1}" } },
    { "{\"a\":1,\"also\":\"{\"}", { "{\"a\":1}" } },
    { "{\"a\":1,\"also\":{\"a\":2}}", { "{\"a\":1}" } },
    { "{\"a\":1,\"also\":{\"a\":[]}}", { "{\"a\":1}" } },
    { "{\"a\":1,\"also\":{\"a\":[2,", { "{\"a\":1}" } },
    { "{\"also\":{\"a\":[2]}}", { NULL } },
    { "{\"a\":1,\"also\":{\"a\":[ 2 , \"x\" ]}}", { "{\"a\":1}", "{\"a\":2}", "{\"a\":\"x\"}" } },
    { "{\"a\":1", { "{\"a\":1}" } },
    { "[1]", { NULL } },
    { "", { NULL } },
};

static void nothing_is_trusted(void **state)
{
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        char *copy = malloc(strlen(hostile[i].line) + 1);
        size_t k = 0;

        assert_non_null(copy);
        strcpy(copy, hostile[i].line);
        for (; hostile[i].record[k]; k++) {
            assert_non_null(record(copy, k));
            assert_string_equal(record(copy, k), hostile[i].record[k]);
        }
        assert_null(record(copy, k));
        free(copy);
    }
}

/* As long as a report may be, and as many records as a line may name. */
static void the_longest_lists(void **state)
{
    static char line[16384];
    struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));
    size_t n = 0;

    fmt_append(&b, "{\"a\":0,\"also\":{\"a\":[1");
    while (b.length + 8 < sizeof(line)) {
        fmt_append(&b, ",1");
        n++;
    }
    fmt_append(&b, "]}}");
    assert_string_equal(record(line, n + 1), "{\"a\":1}");
    assert_null(record(line, n + 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_and_separated_again),
        cmocka_unit_test(there_may_be_no_room),
        cmocka_unit_test(nothing_is_trusted),
        cmocka_unit_test(the_longest_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
