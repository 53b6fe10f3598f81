// SPDX-License-Identifier: MIT
#include "saved/saved_read.h"

#include "samples.h"
#include "saved/saved_write.h"
#include "tests/unit/unit.h"

static const uint8_t key[HMAC_BYTES] = { 1, 6, 1, 8 };

static char text[SAVED_REPORT_MAX];
static struct saved_report report;

/* What the kernel would write, of n lines, as a reader finds it. */
static void make(enum saved_phase phase, const uint8_t *with, unsigned n_lines)
{
    static struct saved_lines lines;
    struct saved_state state = { .board = "Maker Product", .verdict = VERDICT_PASS };
    struct saved_variables variables = { 0 };
    bool is_cut;
    size_t n;

    memset(&lines, 0, sizeof(lines));
    for (unsigned i = 0; i < n_lines; i++)
        saved_lines_add(&lines, SAVED_JSON, SAVED_RANK_FAULT, "{\"type\":\"fault\"}\n", 17);
    n = saved_make(&(struct saved_source){ phase, &state, &lines, with, false },
                   n_lines ? sizeof(text) : SAVED_VARIABLE_MAX, text, &is_cut);
    for (unsigned i = 0; i < saved_parts_of(n); i++)
        variables.part[i] = (struct saved_variable){
            text + i * SAVED_VARIABLE_MAX,
            i + 1 < saved_parts_of(n) ? SAVED_VARIABLE_MAX : n - i * SAVED_VARIABLE_MAX,
            SAVED_ATTRIBUTES,
        };
    saved_read(&variables, &report);
}

TEST(what_is_written_is_signed)
{
    static const uint8_t other[HMAC_BYTES] = { 1, 6, 1, 9 };

    for (int phase = SAVED_STARTED; phase <= SAVED_DONE; phase++) {
        make((enum saved_phase)phase, key, phase == SAVED_DONE ? 200 : 0);
        assert_int_equal(report.kind, phase == SAVED_DONE ? SAVED_WHOLE : SAVED_UNFINISHED);
        assert_true(saved_is_signed(&report, key));
        assert_false(saved_is_signed(&report, other));
    }
    assert_true(report.used_parts > 3);
}

TEST(without_a_key_it_is_not)
{
    make(SAVED_DONE, NULL, 5);
    assert_int_equal(report.kind, SAVED_WHOLE);
    assert_false(report.has_hmac);
    assert_false(saved_is_signed(&report, key));
}

/* Phase, any byte, an odd digit, and a report that is not whole. */
TEST(what_was_changed_is_not)
{
    make(SAVED_DONE, key, 5);
    for (size_t i = 0; report.jsonl[i]; i++) {
        report.jsonl[i] ^= 1;
        assert_false(saved_is_signed(&report, key));
        report.jsonl[i] ^= 1;
    }
    assert_true(saved_is_signed(&report, key));
    report.phase = SAVED_RUNNING;
    assert_false(saved_is_signed(&report, key));
    report.phase = SAVED_DONE;
    report.kind = SAVED_INCOMPLETE;
    assert_false(saved_is_signed(&report, key));
}

TEST(an_odd_hmac_is_none)
{
    static const char *const odd[] = { "\"hmac\":\"g", "\"hmac\":\"A", "\"hmac\":\"\"" };

    for (unsigned i = 0; i < 3; i++) {
        struct saved_variables variables = { 0 };
        char *hmac;

        make(SAVED_RUNNING, key, 0);
        hmac = strstr(text, "\"hmac\":\"");
        memcpy(hmac, odd[i], strlen(odd[i]));
        variables.part[0] = (struct saved_variable){ text, strlen(text), SAVED_ATTRIBUTES };
        saved_read(&variables, &report);
        assert_false(report.has_hmac);
    }
}
