// SPDX-License-Identifier: MIT
#include "saved/saved_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "saved/ungroup.h"

static char text[4096];

/* The record as text; NULL: there is none. */
static const char *record(const char *line, size_t k)
{
    static char out[512];
    struct fmt_buffer b = fmt_buffer_make(out, sizeof(out));

    return ungroup_record(line, k, &b) ? out : NULL;
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_and_separated_again),
        cmocka_unit_test(there_may_be_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
