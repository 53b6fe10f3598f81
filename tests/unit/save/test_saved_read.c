// SPDX-License-Identifier: MIT
#include "save/saved_read.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "save/samples.h"

static struct sample sample;
static struct saved_report report;

static enum saved_kind read_again(void)
{
    saved_read(&sample.variables, &report);
    return report.kind;
}

static void finish(size_t part_bytes)
{
    sample_finished(&sample, SAVED_FAIL, SAMPLE_JSONL, SAMPLE_TEXT, part_bytes);
}

static void nothing(void **state)
{
    memset(&sample, 0, sizeof(sample));
    assert_int_equal(read_again(), SAVED_NOTHING);

    finish(100); /* parts without a state are no report */
    sample.variables.state.bytes = NULL;
    assert_int_equal(read_again(), SAVED_NOTHING);
    assert_int_equal(report.invalid_parts, 0);
}

static void a_run_that_did_not_finish(void **state)
{
    sample_started(&sample);
    assert_int_equal(read_again(), SAVED_UNFINISHED);
    assert_string_equal(report.state.test, "march-c-");
    assert_int_equal(report.state.tested_bytes, UINT64_C(3) << 29);
    assert_string_equal(report.jsonl, "");

    sample.state.phase = SAVED_STARTED;
    sample_seal(&sample);
    assert_int_equal(read_again(), SAVED_UNFINISHED);
}

static void a_whole_report(void **state)
{
    static const size_t parts[] = { 100, 333, SAVED_PART_BYTES_MAX };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        finish(parts[i]);
        assert_int_equal(read_again(), SAVED_WHOLE);
        assert_string_equal(report.jsonl, SAMPLE_JSONL);
        assert_string_equal(report.text, SAMPLE_TEXT);
        assert_int_equal(report.state.verdict, SAVED_FAIL);
    }
}

static void the_longest_report(void **state)
{
    static char text[SAVED_PARTS_MAX * SAVED_PART_BYTES_MAX + 1];

    memset(text, 'x', sizeof(text) - 1 - strlen(SAMPLE_JSONL));
    sample_finished(&sample, SAVED_PASS, SAMPLE_JSONL, text, SAVED_PART_BYTES_MAX);
    assert_int_equal(sample.state.n_parts, SAVED_PARTS_MAX);
    assert_int_equal(read_again(), SAVED_WHOLE);
    assert_string_equal(report.text, text);
}

/* Every single bit of the state: never believed, and a sentence. */
static void a_flipped_bit_of_the_state(void **state)
{
    for (size_t bit = 0; bit < 8 * sizeof(sample.state); bit++) {
        finish(200);
        ((uint8_t *)&sample.state)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read_again(), SAVED_UNREADABLE);
        assert_true(strlen(report.why) > 10);
    }
}

static void a_flipped_bit_of_a_part(void **state)
{
    for (size_t bit = 0; bit < 8 * (sizeof(struct saved_part) + 100); bit++) {
        finish(100);
        sample.part[1][bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read_again(), SAVED_INCOMPLETE);
        assert_int_equal(report.invalid_parts, 2);
        assert_non_null(strstr(report.why, "Part 2 of "));
        assert_string_equal(report.jsonl, "");
    }
}

static void every_truncation(void **state)
{
    for (size_t n = 0; n < sizeof(sample.state); n++) {
        finish(200);
        sample.variables.state.size = n;
        assert_int_equal(read_again(), SAVED_UNREADABLE);
    }
    for (size_t n = 0; n < sizeof(struct saved_part) + 100; n++) {
        finish(100);
        sample.variables.part[0].size = n;
        assert_int_equal(read_again(), SAVED_INCOMPLETE);
        assert_int_equal(report.invalid_parts, 1);
    }
}

static void assert_unreadable(const char *why)
{
    sample.state.crc = 0;
    sample.state.crc = crc32c(&sample.state, sizeof(sample.state));
    assert_int_equal(read_again(), SAVED_UNREADABLE);
    assert_non_null(strstr(report.why, why));
}

/* Sealed as it should be, but with values that cannot be. */
static void values_out_of_range(void **state)
{
    struct saved_state *s = &sample.state;

    finish(200), s->phase = 0, assert_unreadable("out of its range");
    finish(200), s->phase = 4, assert_unreadable("out of its range");
    finish(200), s->phase = SAVED_TESTING, assert_unreadable("out of its range");
    finish(200), s->verdict = 0, assert_unreadable("out of its range");
    finish(200), s->verdict = 5, assert_unreadable("out of its range");
    finish(200), s->n_parts = 17, assert_unreadable("out of its range");
    finish(200), s->n_parts = 0, assert_unreadable("out of its range");
    finish(200), s->report_bytes = UINT32_MAX, assert_unreadable("out of its range");
    finish(200), s->jsonl_bytes = s->report_bytes + 1, assert_unreadable("out of its range");
    finish(200), s->test[0] = 7, assert_unreadable("out of its range");
    finish(200), memset(s->board, 'x', sizeof(s->board)), assert_unreadable("out of its range");
    finish(200), s->okram[1] = (char)0xc3, assert_unreadable("out of its range");
    finish(200), s->version = 2, assert_unreadable("version 2; this okram reads version 1");
    finish(200), s->bytes++, assert_unreadable("bytes");
    finish(200), sample.variables.state.size++, assert_unreadable("225 bytes");
    finish(200), sample.variables.state.attributes = 3, assert_unreadable("attributes are 0x3");
}

static void parts_out_of_range(void **state)
{
    for (int i = 0; i < 5; i++) {
        struct saved_part *head = (struct saved_part *)sample.part[2];

        finish(100);
        head->index += i == 0;
        head->n = i == 1 ? 2 : i == 2 ? 17 : head->n;
        head->reserved = i == 3;
        sample_seal_part(&sample, 2);
        sample.variables.part[2].attributes += i == 4;
        assert_non_null(saved_part_error(&sample.variables.part[2], 2));
        assert_int_equal(read_again(), SAVED_INCOMPLETE);
        assert_int_equal(report.invalid_parts, 4);
    }
    finish(100);
    sample.variables.part[2].size = SAVED_VARIABLE_MAX + 1;
    assert_string_equal(saved_part_error(&sample.variables.part[2], 2), "it is too long.");
}

/* Valid each, but not the state's report. */
static void parts_that_do_not_belong(void **state)
{
    struct saved_part *head = (struct saved_part *)sample.part[0];

    finish(100);
    sample.variables.part[1].bytes = NULL;
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_non_null(strstr(report.why, "Part 2 of 6 of the report is missing."));
    assert_memory_equal(report.text, SAMPLE_JSONL, 100);
    assert_memory_equal(report.text + 100, "\n[part 2 of 6 is missing]\n", 26);
    assert_string_equal(report.text + 126, SAMPLE_JSONL SAMPLE_TEXT + 200);

    finish(100);
    head->run_id++;
    sample_seal_part(&sample, 0);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_non_null(strstr(report.why, "of another run"));
    assert_int_equal(report.invalid_parts, 0);

    finish(100);
    head->bytes--;
    sample_seal_part(&sample, 0);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_non_null(strstr(report.why, "do not add up"));

    finish(100);
    sample.part[0][50]++;
    sample_seal_part(&sample, 0);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);

    sample_finished(&sample, SAVED_FAIL, "", "", 100);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_non_null(strstr(report.why, "was not kept"));
}

static void a_report_with_a_nul(void **state)
{
    finish(100);
    sample.part[0][60] = 0;
    sample_seal_part(&sample, 0);
    {
        uint8_t whole[16384];
        size_t n = 0;

        for (unsigned i = 0; i < sample.state.n_parts; i++) {
            memcpy(whole + n, sample.part[i] + 32, sample.variables.part[i].size - 32);
            n += sample.variables.part[i].size - 32;
        }
        sample.state.report_crc = crc32c(whole, n);
    }
    sample_seal(&sample);
    assert_int_equal(read_again(), SAVED_INCOMPLETE);
    assert_int_equal(report.text[28], '?');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(a_run_that_did_not_finish),
        cmocka_unit_test(a_whole_report),
        cmocka_unit_test(the_longest_report),
        cmocka_unit_test(a_flipped_bit_of_the_state),
        cmocka_unit_test(a_flipped_bit_of_a_part),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(values_out_of_range),
        cmocka_unit_test(parts_out_of_range),
        cmocka_unit_test(parts_that_do_not_belong),
        cmocka_unit_test(a_report_with_a_nul),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
