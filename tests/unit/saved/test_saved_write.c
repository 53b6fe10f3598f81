// SPDX-License-Identifier: MIT
#include "saved/saved_write.h"

#include "lib/crc32c.h"
#include "tests/unit/unit.h"

static struct saved_lines lines;
static char out[SAVED_REPORT_MAX + 1];
static bool cut;

static const struct saved_state full = {
    .seconds = UINT32_MAX,
    .started = "2026-11-22T13:14:34",
    .written = "2026-11-22T13:16:04",
    .board =
        "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""
        "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"",
    .test = "moving-inversions",
    .pass = UINT32_MAX,
    .cpu = UINT32_MAX,
    .cpus = UINT32_MAX,
    .tested_bytes = UINT64_MAX,
    .swept_bytes = UINT64_MAX,
    .ram_bytes = UINT64_MAX,
    .faults = UINT64_MAX,
    .bad_pages = UINT64_MAX,
    .verdict = VERDICT_STOPPED,
};

static int set_up(void **state)
{
    memset(&lines, 0, sizeof(lines));
    return 0;
}

static void add(const char *text)
{
    saved_lines_add(&lines, SAVED_JSON, SAVED_RANK_TEST, text, strlen(text));
}

static size_t make(enum saved_phase phase, const struct saved_state *s, size_t room)
{
    size_t n = saved_make(&(struct saved_source){ phase, s, &lines, NULL, false }, room, out, &cut);

    assert_in_range(n, 1, room);
    out[n] = 0;
    return n;
}

TEST(parts_have_names)
{
    char name[SAVED_NAME_MAX];

    saved_part_name(0, name);
    assert_string_equal(name, "OkramReport00");
    saved_part_name(255, name);
    assert_string_equal(name, "OkramReportFF");
}

TEST(parts_are_counted)
{
    assert_int_equal(saved_parts_of(0), 0);
    assert_int_equal(saved_parts_of(1), 1);
    assert_int_equal(saved_parts_of(1024), 1);
    assert_int_equal(saved_parts_of(1025), 2);
    assert_int_equal(saved_parts_of(SAVED_REPORT_MAX), SAVED_PARTS_MAX);
}

TEST(the_head_counts_what_follows, set_up)
{
    static const char *const words[] = { "started", "running", "done" };
    char expected[SAVED_HEAD_MAX];

    add("{\"type\":\"start\"}\n");
    for (int phase = SAVED_STARTED; phase <= SAVED_DONE; phase++) {
        size_t n = make((enum saved_phase)phase, &(struct saved_state){ 0 }, 1024);
        const char *records = strchr(out, '\n') + 1;
        size_t bytes = (size_t)(out + n - records);

        snprintf(expected, sizeof(expected),
                 "{\"type\":\"saved\",\"version\":1,\"state\":\"%s\",\"bytes\":%zu,"
                 "\"crc32c\":\"0x%08x\"}\n",
                 words[phase], bytes, crc32c(records, bytes));
        assert_memory_equal(out, expected, strlen(expected));
        assert_int_equal(strlen(expected), records - out);
        assert_string_equal(records + bytes - 17, "{\"type\":\"start\"}\n");
        assert_false(cut);
    }
}

TEST(the_state_comes_first, set_up)
{
    const struct saved_state s = { .seconds = 90,
                                   .started = "2026-11-22T13:14:34",
                                   .board = "A \"B\"",
                                   .test = "mats+",
                                   .pass = 1,
                                   .cpu = 2,
                                   .cpus = 3,
                                   .tested_bytes = 4,
                                   .swept_bytes = 5,
                                   .ram_bytes = 6,
                                   .faults = 7,
                                   .bad_pages = 8 };

    make(SAVED_RUNNING, &s, 1024);
    assert_string_equal(
        strchr(out, '\n') + 1,
        "{\"t\":90,\"type\":\"state\",\"started\":\"2026-11-22T13:14:34\",\"written\":null,"
        "\"board\":\"A \\\"B\\\"\",\"test\":\"mats+\",\"pass\":1,\"cpu\":2,\"cpus\":3,"
        "\"tested_bytes\":4,\"swept_bytes\":5,\"ram_bytes\":6,\"faults\":7,\"bad_pages\":8}\n");
}

TEST(the_longest_state_fits, set_up)
{
    add("{\"type\":\"start\"}\n");
    make(SAVED_RUNNING, &full, SAVED_MADE_MIN);
    assert_non_null(strstr(out, "\"bad_pages\":18446744073709551615,\"status\":\"stopped\","
                                "\"complete\":false}\n"));
}

TEST(lines_are_left_out_where_there_is_no_room, set_up)
{
    for (int i = 0; i < 400; i++)
        add("{\"type\":\"test\",\"test\":\"mats+\",\"pass\":1}\n");
    for (unsigned parts = 1; parts <= SAVED_PARTS_MAX; parts++) {
        size_t n = make(SAVED_DONE, &full, parts * SAVED_VARIABLE_MAX);

        assert_true(cut);
        assert_int_equal(out[n - 1], '\n');
        assert_int_equal(saved_parts_of(n), parts);
    }
}

TEST(others_variables_are_known, set_up)
{
    make(SAVED_STARTED, &full, 1024);
    assert_true(saved_is_own(0, out, strlen(out)));
    assert_true(saved_is_own(0, out, 16)); /* damaged after that */
    assert_false(saved_is_own(0, out, 15));
    assert_false(saved_is_own(0, "{\"type\":\"start\",", 16));
    assert_true(saved_is_own(1, "s\":8}\n{\"", 8));
    assert_false(saved_is_own(1, "", 0));
    assert_false(saved_is_own(1, "a\0b", 3));
    assert_false(saved_is_own(1, "\xe9", 1));
}

TEST(five_kib_stay_free)
{
    assert_int_equal(saved_parts_that_fit(0), 0);
    assert_int_equal(saved_parts_that_fit(UINT64_MAX), 16);
    for (unsigned n = 1; n <= 16; n++) {
        uint64_t least = 5 * 1024 + n * (1024 + 128);

        assert_int_equal(saved_parts_that_fit(least), n);
        assert_int_equal(saved_parts_that_fit(least - 1), n - 1);
    }
}

/* Besides the verdict, the next run's head has its room. */
TEST(a_head_keeps_its_room)
{
    uint64_t least = 5 * 1024 + 3 * (1024 + 128);

    assert_int_equal(saved_parts_besides(0), 0);
    assert_int_equal(saved_parts_besides(least), 2);
    assert_int_equal(saved_parts_besides(least - 1), 1);
}

/* After a state is written, there is room for the verdict, the longest report and the dump. */
TEST(states_leave_room_for_the_report)
{
    uint64_t least = 5 * 1024 + 19 * (1024 + 128), with_list = least + 2 * (128 + 100);

    assert_true(saved_leaves_room(least, 0));
    assert_false(saved_leaves_room(least - 1, 0));
    assert_true(saved_leaves_room(with_list, 100));
    assert_false(saved_leaves_room(with_list - 1, 100));
}

/* Not in the order in which they came. */
TEST(the_verdict_has_what_matters_most)
{
    const struct saved_state s = { .pass = 0, .verdict = VERDICT_PASS };

    saved_lines_add(&lines, SAVED_JSON, SAVED_RANK_START, "{start}\n", 8);
    add("{advice}\n");
    saved_lines_add(&lines, SAVED_JSON, SAVED_RANK_BADRAM, "{badram}\n", 9);
    saved_make(&(struct saved_source){ SAVED_DONE, &s, &lines, NULL, true }, 1024, out, &cut);
    assert_non_null(strstr(out, "\"pass\":0,"));
    assert_non_null(strstr(out, "\"status\":\"pass\",\"complete\":false}\n{start}\n{badram}\n"));
    assert_null(strstr(out, "advice"));
    assert_false(cut);
}

/* With the head of its variable it fits, and then two parts of the report. */
TEST(a_list_leaves_room_for_a_report)
{
    uint64_t least = 5 * 1024 + 2 * (1024 + 128) + 128 + 1000;

    assert_true(saved_list_fits(1000, 1128, least));
    assert_false(saved_list_fits(1000, 1127, least));
    assert_false(saved_list_fits(1000, 1128, least - 1));
    assert_false(saved_list_fits(1000, 0, least));
}

TEST(one_write_in_half_an_hour)
{
    struct saved_pace pace = { 0 };

    assert_true(saved_is_due(&pace, 0.5, false));
    assert_false(saved_is_due(&pace, 0.6, false));
    assert_false(saved_is_due(&pace, 1800.4, false));
    assert_true(saved_is_due(&pace, 1800.5, false));
    assert_false(saved_is_due(&pace, 1801, false));
    assert_true(saved_is_due(&pace, 1e6, false));
    assert_false(saved_is_due(&pace, 1e6 + 1799, false));
}

TEST(the_first_fault_is_written_at_once)
{
    struct saved_pace pace = { 0 };

    assert_true(saved_is_due(&pace, 1, false));
    assert_true(saved_is_due(&pace, 2, true));
    assert_false(saved_is_due(&pace, 3, true));
    assert_false(saved_is_due(&pace, 1801, true));
    assert_true(saved_is_due(&pace, 1802, true));

    pace = (struct saved_pace){ 0 };
    assert_true(saved_is_due(&pace, 1, true)); /* found before the first write */
    assert_false(saved_is_due(&pace, 2, true));
}

/* One of them is kept for the first fault. */
TEST(thirty_writes_a_boot)
{
    struct saved_pace pace = { 0 };
    unsigned n = 0;

    for (double t = 0; t < 1000 * 3600; t += 10)
        n += saved_is_due(&pace, t, false);
    assert_int_equal(n, 29);
    assert_true(saved_is_due(&pace, 1000 * 3600, true));
    assert_false(saved_is_due(&pace, 1e9, true));

    pace = (struct saved_pace){ 0 };
    n = 0;
    for (double t = 0; t < 1000 * 3600; t += 10)
        n += saved_is_due(&pace, t, t > 14 * 3600);
    assert_int_equal(n, 30);
}

/* The name as Linux's efi-pstore reads it. */
TEST(linux_reads_the_name)
{
    char name[PSTORE_NAME_MAX], kind;
    unsigned type, part;
    unsigned long long time;
    int count;

    pstore_name(1795354387, name);
    assert_string_equal(name, "dump-type0-1-1-1795354387-D");
    assert_int_equal(sscanf(name, "dump-type%u-%u-%d-%llu-%c", &type, &part, &count, &time, &kind),
                     5);
    assert_int_equal(type, 0);
    assert_int_equal(kind, 'D');
    assert_true(pstore_is_name(name));
    pstore_name(INT64_MAX, name);
    assert_string_equal(name, "dump-type0-1-1-9223372036854775807-D");
    assert_false(pstore_is_name("dump-type0-2-1-1795354387-C"));
    assert_false(pstore_is_name(""));
}

TEST(a_dump_holds_text_that_fits)
{
    static struct saved_lines both;
    static char line[PSTORE_DUMP_MAX];
    char dump[PSTORE_DUMP_MAX];
    size_t n;

    saved_lines_add(&both, SAVED_JSON, SAVED_RANK_START, "{}\n", 3);
    saved_lines_add(&both, SAVED_TEXT, SAVED_RANK_START, "start\n", 6);
    memset(line, 'f', sizeof(line));
    saved_lines_add(&both, SAVED_TEXT, SAVED_RANK_BADRAM, line, sizeof(line));
    saved_lines_add(&both, SAVED_TEXT, SAVED_RANK_RESULT, "result\n", 7);
    n = pstore_dump(&both, dump);
    assert_int_equal(n, strlen("okram#1 Part1\nstart\nresult\n"));
    assert_memory_equal(dump, "okram#1 Part1\nstart\nresult\n", n);
    assert_true(pstore_is_own(dump, n));
    assert_false(pstore_is_own(dump, 13));
    assert_false(pstore_is_own("Panic#1 Part1\n<4>[", 18));
    saved_lines_add(&both, SAVED_TEXT, SAVED_RANK_BADRAM, line, sizeof(line) - n);
    assert_int_equal(pstore_dump(&both, dump), PSTORE_DUMP_MAX);
}
