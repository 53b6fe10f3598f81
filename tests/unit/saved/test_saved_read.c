// SPDX-License-Identifier: MIT
#include "saved/saved_read.h"

#include "saved/samples.h"
#include "tests/unit/unit.h"

static struct sample sample;
static struct saved_report report;

static enum saved_kind read_again(void)
{
    saved_read(&sample.variables, &report);
    return report.kind;
}

static void finish(size_t part_bytes)
{
    sample_finished(&sample, VERDICT_FAIL, SAMPLE_JSONL, part_bytes);
}

TEST(nothing)
{
    memset(&sample, 0, sizeof(sample));
    assert_int_equal(read_again(), SAVED_NOTHING);

    finish(200); /* parts without the first are not a report */
    sample.variables.part[0].bytes = NULL;
    assert_int_equal(read_again(), SAVED_NOTHING);
    assert_int_equal(report.invalid_parts, 0);
    assert_int_equal(report.used_parts, 0);
}

TEST(a_run_that_did_not_finish)
{
    static const char records[] = SAMPLE_STATE SAMPLE_START;
    static const char *const states[] = { "started", "running" };

    for (unsigned i = 0; i < 2; i++) {
        sample_put(&sample, states[i], records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
        sample.variables.part[1] = (struct saved_variable){ "of an earlier run", 17, 7 };
        assert_int_equal(read_again(), SAVED_UNFINISHED);
        assert_int_equal(report.phase, i == 0 ? SAVED_STARTED : SAVED_RUNNING);
        assert_int_equal(report.verdict, VERDICT_NONE);
        assert_string_equal(report.jsonl, records);
        assert_string_equal(report.version, "1.0");
        assert_int_equal(report.used_parts, 1);
    }
}

TEST(the_state)
{
    const struct saved_state *s = &report.state;

    sample_started(&sample);
    read_again();
    assert_int_equal(s->seconds, 90);
    assert_string_equal(s->started, "2026-11-22T13:14:34");
    assert_string_equal(s->written, "2026-11-22T13:16:04");
    assert_string_equal(s->board, SAMPLE_BOARD);
    assert_string_equal(s->test, "march-c-");
    assert_int_equal(s->pass, 1);
    assert_int_equal(s->cpu, 3);
    assert_int_equal(s->cpus, 8);
    assert_int_equal(s->tested_bytes, UINT64_C(3) << 29);
    assert_int_equal(s->swept_bytes, UINT64_C(5) << 30);
    assert_int_equal(s->ram_bytes, UINT64_C(4) << 30);

    finish(SAVED_VARIABLE_MAX);
    read_again();
    assert_int_equal(s->faults, 2);
    assert_int_equal(s->bad_pages, 1);
}

static void put_running(const char *records)
{
    sample_put(&sample, "running", records, strlen(records), SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_UNFINISHED);
}

/* The checksum is right, the values are not. */
TEST(odd_values)
{
    static const char *const dates[] = {
        "null",
        "\"\"",
        "1795353274",
        "\"2026-11-22\"",
        "\"2026-11-22T13:14:3\"",
        "\"2026-11-22T13:14:34Z\"",
        "\"2026-11-22 13:14:34\"",
        "\"2026-1a-22T13:14:34\"",
        "\"../../../../a/b/c/d\"",
    };
    const struct saved_state *s = &report.state;
    char text[200];

    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
        fmt_print(text, sizeof(text), "{\"type\":\"state\",\"started\":%s}\n", dates[i]);
        put_running(text);
        assert_string_equal(s->started, "");
    }
    put_running("{\"t\":12.75,\"type\":\"state\",\"pass\":-1,\"cpu\":4294967296,\"cpus\":1.5,"
                "\"faults\":18446744073709551615,\"bad_pages\":18446744073709551616,"
                "\"tested_bytes\":\"0x10\",\"swept_bytes\":[1],\"board\":\"a\\u0007\xc3\xa4\","
                "\"test\":\"a-name-that-is-longer-than-any\"}\n"
                "{\"type\":\"result\",\"status\":\"pass\"}\n");
    assert_int_equal(s->seconds, 12);
    assert_int_equal(s->pass, 0);
    assert_int_equal(s->cpu, 0);
    assert_int_equal(s->cpus, 0);
    assert_true(s->faults == UINT64_MAX);
    assert_int_equal(s->bad_pages, 0);
    assert_int_equal(s->tested_bytes, 0);
    assert_int_equal(s->swept_bytes, 0);
    assert_string_equal(s->board, "a?0007??");
    assert_string_equal(s->test, "");
    assert_int_equal(report.verdict, VERDICT_NONE); /* it is not done */
    put_running("no JSON");
    assert_string_equal(report.version, "");
}

TEST(a_whole_report)
{
    static const size_t parts[] = { 120, 333, SAVED_VARIABLE_MAX };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        for (enum verdict v = VERDICT_PASS; v < VERDICTS; v++) {
            sample_finished(&sample, v, SAMPLE_JSONL, parts[i]);
            assert_int_equal(read_again(), SAVED_WHOLE);
            assert_string_equal(report.jsonl, sample.jsonl);
            assert_int_equal(report.verdict, v);
            assert_int_equal(report.phase, SAVED_DONE);
            assert_int_equal(report.used_parts, (1u << sample.n_parts) - 1);
            assert_string_equal(report.why, "");
        }
    }
}

TEST(what_is_behind_it_does_not_count)
{
    finish(300);
    memcpy(sample.part[sample.n_parts - 1] + sample.variables.part[sample.n_parts - 1].size, "\0x",
           2);
    sample.variables.part[sample.n_parts - 1].size += 2;
    sample.variables.part[sample.n_parts + 1] = (struct saved_variable){ "x", 1, 7 };
    sample.variables.part[15] = (struct saved_variable){ "x", 1, 3 };
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_string_equal(report.jsonl, sample.jsonl);
    assert_int_equal(report.used_parts, (1u << sample.n_parts) - 1);
    assert_int_equal(report.invalid_parts, 0x8000);
}

TEST(the_longest_report)
{
    static char records[SAMPLE_RECORDS_MAX + 1];

    memset(records, 'x', sizeof(records) - 2);
    records[sizeof(records) - 2] = '\n';
    sample_finished(&sample, VERDICT_PASS, records, SAVED_VARIABLE_MAX);
    assert_int_equal(sample.n_parts, SAVED_PARTS_MAX);
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_string_equal(report.jsonl, sample.jsonl);
}

/* Never believed: what is said to be whole is what was written, but for the head's own form. */
TEST(a_flipped_bit)
{
    finish(200);
    for (unsigned part = 0; part < sample.n_parts; part++) {
        for (size_t bit = 0; bit < 8 * sample.variables.part[part].size; bit++) {
            sample.part[part][bit / 8] ^= (char)(1u << bit % 8);
            if (read_again() == SAVED_WHOLE) {
                assert_int_equal(part, 0);
                assert_string_equal(report.jsonl, sample.jsonl);
            } else {
                assert_true(strlen(report.why) > 10);
                assert_true(report.kind == SAVED_INCOMPLETE || part == 0);
            }
            sample.part[part][bit / 8] ^= (char)(1u << bit % 8);
        }
    }
    assert_int_equal(read_again(), SAVED_WHOLE);
}

TEST(every_truncation)
{
    finish(200);
    for (unsigned part = 0; part < sample.n_parts; part++) {
        size_t size = sample.variables.part[part].size;

        for (size_t n = 0; n < size; n++) {
            sample.variables.part[part].size = n;
            assert_in_range(read_again(), SAVED_UNREADABLE, SAVED_INCOMPLETE);
            assert_true(strlen(report.why) > 10);
        }
        sample.variables.part[part].size = size;
    }
    sample_started(&sample);
    for (size_t n = 0; n < strlen(sample.jsonl); n++) {
        sample.variables.part[0].size = n;
        assert_int_equal(read_again(), SAVED_UNREADABLE);
        assert_string_equal(report.jsonl, "");
        assert_int_equal(report.used_parts, 0);
    }
}

static void assert_unreadable(const char *head, const char *why)
{
    static const char records[] = SAMPLE_STATE SAMPLE_START;

    sample_split(&sample, head, records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_UNREADABLE);
    assert_non_null(strstr(report.why, why));
}

TEST(heads)
{
    static const char other[] = "it does not begin with okram's head.",
                      odd[] = "missing or invalid.";

    assert_unreadable("", other);
    assert_unreadable("{\"type\":\"save\",\"version\":1}\n", other);
    assert_unreadable("{\"type\":\"saved\",\"version\":1\n", other);
    assert_unreadable("{\"type\":\"saved\",\"version\":2}\n", "of a version");
    assert_unreadable("{\"type\":\"saved\",\"state\":\"running\"}\n", "of a version");
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"x\",\"bytes\":1,"
                      "\"crc32c\":\"0x0\"}\n",
                      odd);
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"done\",\"bytes\":-1,"
                      "\"crc32c\":\"0x0\"}\n",
                      odd);
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"done\",\"bytes\":4294967296,"
                      "\"crc32c\":\"0x0\"}\n",
                      odd);
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"done\",\"bytes\":1,"
                      "\"crc32c\":\"0x100000000\"}\n",
                      odd);
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"done\",\"bytes\":1,"
                      "\"crc32c\":0}\n",
                      odd);
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"running\",\"bytes\":1,"
                      "\"crc32c\":\"0x0\"}\n",
                      "checksum is wrong.");
    assert_unreadable("{\"type\":\"saved\",\"version\":1,\"state\":\"running\",\"bytes\":1000,"
                      "\"crc32c\":\"0x0\"}\n",
                      " of 1000 bytes of the report are there.");

    sample_started(&sample);
    sample.variables.part[0].attributes = 3;
    assert_int_equal(read_again(), SAVED_UNREADABLE);
    assert_non_null(strstr(report.why, "attributes"));
    sample_started(&sample);
    sample.variables.part[0].size = SAVED_VARIABLE_MAX + 1;
    assert_int_equal(read_again(), SAVED_UNREADABLE);
    assert_string_equal(report.why, "it is too long.");
    assert_int_equal(report.invalid_parts, 1);
}

/* Reports that are done, but are not all there. */
TEST(a_part_is_missing)
{
    finish(500);
    sample.variables.part[1].bytes = NULL;
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_string_equal(report.why, "OkramReport01 is missing.");
    assert_int_equal(report.used_parts, 1);
    assert_string_equal(report.jsonl, /* and a piece of a line */
                        SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":2,\"bad_pages\":1") SAMPLE_START);
    assert_int_equal(report.state.faults, 2);
    assert_int_equal(report.verdict, VERDICT_NONE);

    finish(500);
    sample.variables.part[1].attributes = 3;
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_string_equal(report.why, "OkramReport01 is damaged or not okram's.");
    assert_int_equal(report.invalid_parts, 2);
    assert_int_equal(report.used_parts, 1);

    finish(500);
    sample.variables.part[1].size = SAVED_VARIABLE_MAX + 1;
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_int_equal(report.invalid_parts, 2);
}

TEST(more_than_there_can_be)
{
    static const char head[] = "{\"type\":\"saved\",\"version\":1,\"state\":\"done\",\"bytes\":"
                               "20000,\"crc32c\":\"0x0\"}\n";
    static char bytes[SAVED_PARTS_MAX * SAVED_VARIABLE_MAX];
    size_t n = sizeof(bytes) - (sizeof(head) - 1);

    memset(bytes, 'x', sizeof(bytes));
    sample_split(&sample, head, bytes, n, SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_non_null(strstr(report.why, " of 20000 bytes of the report are there."));
    assert_string_equal(report.jsonl, ""); /* no line is whole */
    assert_int_equal(report.used_parts, 0xffff);
}

/* Lines that are not printable are left out, the others are there. */
TEST(damaged_lines)
{
    char *at;

    finish(SAVED_VARIABLE_MAX);
    at = strstr(sample.part[0], "address");
    assert_non_null(at);
    *at = 0;
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_string_equal(report.why, "The report's checksum is wrong.");
    assert_int_equal(report.verdict, VERDICT_FAIL);
    assert_null(strstr(report.jsonl, "swept_bytes\":4096,\"faults\":0"));
    assert_non_null(strstr(report.jsonl, "\"swept_bytes\":4096,\"faults\":2}\n{\"t\":9.1,"));
    assert_string_equal(report.version, "1.0");
}

TEST(a_report_with_a_nul)
{
    static const char records[] = SAMPLE_STATE "a\0b\n{\"type\":\"result\",\"status\":\"pass\"}\n";

    sample_put(&sample, "done", records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_string_equal(report.why, "The report is not text.");
    assert_string_equal(report.jsonl, SAMPLE_STATE "{\"type\":\"result\",\"status\":\"pass\"}\n");
    sample_put(&sample, "running", records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_UNREADABLE);
    assert_string_equal(report.jsonl, "");
}

TEST(a_report_without_a_result)
{
    sample_put(&sample, "done", SAMPLE_STATE, strlen(SAMPLE_STATE), SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_string_equal(report.why, "The report has no result.");
    assert_string_equal(report.jsonl, SAMPLE_STATE);
}

/* There was no room for the result, but for its status. */
TEST(a_report_of_the_state_alone)
{
    static const char line[] = "{\"type\":\"state\",\"bad_pages\":3,\"status\":\"fail\"}\n";

    sample_put(&sample, "done", line, strlen(line), SAVED_VARIABLE_MAX);
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_int_equal(report.verdict, VERDICT_FAIL);
    assert_int_equal(report.state.verdict, VERDICT_FAIL);
}
