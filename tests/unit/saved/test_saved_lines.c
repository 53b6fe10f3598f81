// SPDX-License-Identifier: MIT
#include "saved/saved_lines.h"

#include "saved/ungroup.h"
#include "tests/unit/unit.h"

static struct saved_lines lines;
static char out[SAVED_REPORT_MAX + 1];

static int set_up(void **state)
{
    memset(&lines, 0, sizeof(lines));
    return 0;
}

static void add(enum saved_form form, enum saved_rank rank, const char *text)
{
    saved_lines_add(&lines, form, rank, text, strlen(text));
}

/* A line of n bytes. */
static void add_long(enum saved_form form, enum saved_rank rank, char letter, size_t bytes)
{
    static char text[SAVED_REPORT_MAX + 1];

    memset(text, letter, bytes);
    saved_lines_add(&lines, form, rank, text, bytes);
}

static bool cut;

static const char *written(enum saved_form form, size_t room)
{
    size_t n = saved_lines_write(&lines, form, room, out, &cut);

    assert_in_range(n, 0, room);
    out[n] = 0;
    return out;
}

TEST(each_form_in_its_order, set_up)
{
    add(SAVED_JSON, SAVED_RANK_START, "{start}\n");
    add(SAVED_TEXT, SAVED_RANK_START, "start\n");
    add(SAVED_JSON, SAVED_RANK_FAULT, "{fault}\n");
    add(SAVED_TEXT, SAVED_RANK_FAULT, "fault\n");
    add(SAVED_JSON, SAVED_RANK_RESULT, "{result}\n");
    add(SAVED_TEXT, SAVED_RANK_RESULT, "result\n");
    assert_string_equal(written(SAVED_JSON, SAVED_REPORT_MAX), "{start}\n{fault}\n{result}\n");
    assert_false(cut);
    assert_string_equal(written(SAVED_TEXT, 19), "start\nfault\nresult\n");
    assert_false(cut);
    assert_string_equal(written(SAVED_TEXT, 18), "start\nresult\n");
    assert_true(cut);
    assert_string_equal(written(SAVED_TEXT, 0), "");
}

/* At each room: what weighs more goes in before what weighs less. */
TEST(what_matters_most_is_kept, set_up)
{
    static const char *const json[] = { "", "a\n\n", "a\n\nc\n\n" };
    static const char *const text[] = { "", "d\n\n", "b\n\nd\n\n", "e\n\nb\n\nd\n\n" };

    add(SAVED_JSON, SAVED_RANK_START, "a\n\n");
    add(SAVED_TEXT, SAVED_RANK_FAULT, "e\n\n");
    add(SAVED_TEXT, SAVED_RANK_START, "b\n\n");
    add(SAVED_TEXT, SAVED_RANK_RESULT, "d\n\n");
    add(SAVED_JSON, SAVED_RANK_RESULT, "c\n\n");
    for (size_t room = 0; room <= 8; room++)
        assert_string_equal(written(SAVED_JSON, room), json[room / 3]);
    for (size_t room = 0; room <= 11; room++)
        assert_string_equal(written(SAVED_TEXT, room), text[room / 3]);
}

/* Without it the loader cannot go on; but the verdict and the line matter more. */
TEST(a_diagnosis_comes_after_the_line, set_up)
{
    add(SAVED_JSON, SAVED_RANK_DIAGNOSIS, "c\n\n");
    add(SAVED_JSON, SAVED_RANK_BADRAM, "b\n\n");
    add(SAVED_JSON, SAVED_RANK_RESULT, "a\n\n");
    assert_string_equal(written(SAVED_JSON, 3), "a\n\n");
    assert_string_equal(written(SAVED_JSON, 6), "b\n\na\n\n");
    add(SAVED_TEXT, SAVED_RANK_DIAGNOSIS, "b\n\n");
    add(SAVED_TEXT, SAVED_RANK_BADRAM, "c\n\n"); /* which is what a reader of pstore needs */
    assert_string_equal(written(SAVED_TEXT, 3), "c\n\n");
}

TEST(what_is_too_long_gives_way_to_what_follows, set_up)
{
    add(SAVED_TEXT, SAVED_RANK_BADRAM, "a very long badram line\n");
    add(SAVED_TEXT, SAVED_RANK_TEST, "test\n");
    assert_string_equal(written(SAVED_TEXT, 10), "test\n");
}

TEST(a_full_store_drops_what_matters_least, set_up)
{
    size_t each = SAVED_REPORT_MAX / 4;
    const char *text;

    add_long(SAVED_JSON, SAVED_RANK_START, 's', each);
    add_long(SAVED_JSON, SAVED_RANK_FAULT, 'f', each);
    add_long(SAVED_JSON, SAVED_RANK_FAULT, 'g', each);
    add_long(SAVED_JSON, SAVED_RANK_FAULT, 'h', each);
    assert_int_equal(lines.n, 4);
    add_long(SAVED_JSON, SAVED_RANK_FAULT, 'i', each);  /* no room */
    add_long(SAVED_JSON, SAVED_RANK_RESULT, 'r', each); /* the last fault goes */
    text = written(SAVED_JSON, SAVED_REPORT_MAX);
    assert_int_equal(lines.n, 4);
    assert_int_equal(strlen(text), 4 * each);
    assert_int_equal(text[0], 's');
    assert_int_equal(text[each], 'f');
    assert_int_equal(text[2 * each], 'g');
    assert_int_equal(text[3 * each], 'r');
}

/* A form's lines take nothing of the other's room. */
TEST(each_form_has_its_own_room, set_up)
{
    add_long(SAVED_TEXT, SAVED_RANK_RESULT, 'R', SAVED_TEXT_MAX);
    add_long(SAVED_JSON, SAVED_RANK_MEASURED, 'm', SAVED_REPORT_MAX);
    add_long(SAVED_TEXT, SAVED_RANK_FAULT, 'F', 1);
    assert_int_equal(lines.n, 2);
    assert_int_equal(strlen(written(SAVED_JSON, SAVED_REPORT_MAX)), SAVED_REPORT_MAX);
    assert_int_equal(strlen(written(SAVED_TEXT, SAVED_TEXT_MAX)), SAVED_TEXT_MAX);
    add_long(SAVED_JSON, SAVED_RANK_START, 's', 1); /* the JSON goes, not the text */
    assert_string_equal(written(SAVED_JSON, SAVED_REPORT_MAX), "s");
    assert_int_equal(strlen(written(SAVED_TEXT, SAVED_TEXT_MAX)), SAVED_TEXT_MAX);
}

/* Which run of which machine, its result and its bad pages; as text they are for another place. */
TEST(who_and_what_comes_first, set_up)
{
    static const struct {
        enum saved_rank rank;
        const char *line;
    } ranked[] = {
        { SAVED_RANK_TEST, "h\n\n" },      { SAVED_RANK_MACHINE, "g\n\n" },
        { SAVED_RANK_DIAGNOSIS, "f\n\n" }, { SAVED_RANK_PAGES, "e\n\n" },
        { SAVED_RANK_BADRAM, "d\n\n" },    { SAVED_RANK_RESULT, "c\n\n" },
        { SAVED_RANK_IDENTITY, "b\n\n" },  { SAVED_RANK_START, "a\n\n" },
    };
    static const char *const text[] = { "c", "dc", "fdc", "gfdc", "gfdca", "hgfdca" };
    size_t n = sizeof(ranked) / sizeof(ranked[0]);

    for (size_t i = 0; i < n; i++) {
        add(SAVED_JSON, ranked[i].rank, ranked[i].line);
        add(SAVED_TEXT, ranked[i].rank, ranked[i].line);
    }
    for (size_t kept = 1; kept <= n; kept++) {
        written(SAVED_JSON, 3 * kept);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(strchr(out, ranked[i].line[0]) != NULL, n - i <= kept);
    }
    for (size_t kept = 0; kept < sizeof(text) / sizeof(text[0]); kept++) {
        written(SAVED_TEXT, 3 * (kept + 1));
        for (size_t i = 0; text[kept][i]; i++)
            assert_int_equal(out[3 * i], text[kept][i]);
    }
}

/* What could not fit even alone drops nothing. */
TEST(what_can_never_fit_drops_nothing, set_up)
{
    add(SAVED_JSON, SAVED_RANK_START, "{start}\n");
    add_long(SAVED_JSON, SAVED_RANK_FAULT, 'f', SAVED_REPORT_MAX - 8);
    add_long(SAVED_JSON, SAVED_RANK_RESULT, 'r', SAVED_REPORT_MAX - 7);
    assert_int_equal(lines.n, 2);
    assert_int_equal(lines.length, SAVED_REPORT_MAX);
    add_long(SAVED_JSON, SAVED_RANK_RESULT, 'r', SAVED_REPORT_MAX - 8);
    assert_int_equal(lines.n, 2);
    assert_int_equal(lines.text[8], 'r');
}

TEST(the_number_of_lines_is_limited, set_up)
{
    for (int i = 0; i < SAVED_LINES_MAX + 3; i++)
        add(SAVED_JSON, SAVED_RANK_TEST, "x");
    assert_int_equal(lines.n, SAVED_JSON_LINES);
    add(SAVED_JSON, SAVED_RANK_RESULT, "r");
    assert_int_equal(lines.n, SAVED_JSON_LINES);
    assert_int_equal(lines.text[lines.length - 1], 'r');
}

/* Random lines: never more than fits, and nothing of less weight in place of something. */
TEST(any_lines_fit, set_up)
{
    size_t most[] = { 0, 0 };

    srand(1);
    for (int i = 0; i < 3000; i++) {
        add_long(rand() % 2 ? SAVED_JSON : SAVED_TEXT,
                 (enum saved_rank)(rand() % (SAVED_RANK_MEASURED + 1)), 'x',
                 (size_t)(1 + rand() % 700));
        assert_in_range(lines.length, 1, SAVED_REPORT_MAX + SAVED_TEXT_MAX);
        assert_in_range(lines.n, 1, SAVED_LINES_MAX);
        written(rand() % 2 ? SAVED_JSON : SAVED_TEXT, (size_t)rand() % SAVED_REPORT_MAX);
    }
    for (size_t i = 0; i < lines.n; i++)
        most[lines.line[i].form] +=
            lines.line[i].rank <= SAVED_RANK_RESULT ? lines.line[i].bytes : 0;
    assert_in_range(most[SAVED_JSON], SAVED_REPORT_MAX - 700, SAVED_REPORT_MAX);
    assert_in_range(most[SAVED_TEXT], 0, SAVED_TEXT_MAX);
}

static char text[4096];

/* The record as text; NULL: there is none. */
static const char *record(const char *line, size_t k)
{
    static char record[512];
    struct fmt_buffer b = fmt_buffer_make(record, sizeof(record));

    return ungroup_record(line, k, &b) ? record : NULL;
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

TEST(joined_and_separated_again)
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
TEST(there_may_be_no_room)
{
    const struct group *g = &groups[0];
    size_t whole = strlen(g->joined);

    for (size_t room = 1; room <= whole + 1; room++) {
        char *joined = malloc(room); /* ASan sees its end */
        struct fmt_buffer b = fmt_buffer_make(joined, room);

        assert_non_null(joined);
        assert_int_equal(saved_group_join(g->line, g->n, &b), room > whole);
        free(joined);
    }
}
