// SPDX-License-Identifier: MIT
#include "diagnosis/code.h"

#include <ctype.h>

#include "fitted.h"
#include "lib/string.h"

static struct diagnosis sample(void)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d;
    struct diagnosis_arrangement at = ARRANGED(true, 0, -1, 1, -1);

    set_speed(&m, FAST, SLOW);
    d = begun(&m, 20, 9);
    d.module[1].size_mib = 24 << 10;
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    d.settings_stayed = 1;
    run_at(&d, ARRANGED(false, 0, 1), 90, 0);
    diagnosis_not_started(&d, &at);
    return d;
}

static void write_code(const struct diagnosis *d, char code[DIAGNOSIS_CODE_MAX])
{
    struct fmt_buffer b = fmt_buffer_make(code, DIAGNOSIS_CODE_MAX);

    diagnosis_append_code(d, &b);
    assert_false(b.cut);
}

static void comes_back(void **state)
{
    struct diagnosis d = sample(), read;
    char code[DIAGNOSIS_CODE_MAX], again[DIAGNOSIS_CODE_MAX];

    write_code(&d, code);
    assert_in_range(strlen(code), 40, 70); /* of four modules and three runs: it is to be typed */
    assert_int_equal(diagnosis_read_code(code, &read), STATUS_OK);
    assert_int_equal(read.n_slots, 4);
    assert_int_equal(read.n_modules, 4);
    assert_int_equal(read.first_mt_s, FAST);
    assert_int_equal(read.jedec_mt_s, SLOW);
    assert_int_equal(read.kind, DIAGNOSIS_KIND_EVERYWHERE);
    assert_int_equal(read.settings_stayed, 1);
    assert_int_equal(read.n_runs, 3);
    assert_int_equal(read.run[0].passes, 20);
    assert_int_equal(read.run[0].failed, 9);
    assert_true(read.run[0].at.is_raised);
    assert_int_equal(read.run[1].passes, 90);
    assert_int_equal(read.run[1].at.slot_of[1], 1);
    assert_int_equal(read.run[1].at.slot_of[2], DIAGNOSIS_ABSENT);
    assert_int_equal(read.run[2].outcome, DIAGNOSIS_NOT_STARTED);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(read.module[i].id, d.module[i].id);
        assert_int_equal(read.module[i].size_mib, d.module[i].size_mib);
    }
    write_code(&read, again);
    assert_string_equal(again, code);
}

/* Counts come back as they were, on both sides of the limits of the short fields. */
static void counts_stay(void **state)
{
    static const struct diagnosis_count counts[] = {
        { 1, 1, true },      { 1, 1, false },        { 6, 6, false },   { 7, 7, true },
        { 254, 6, false },   { 255, 7, false },      { 256, 8, false }, { 1000, 1000, true },
        { 65535, 1, false }, { 65535, 65535, true },
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d = begun(&m, counts[i].passes, counts[i].failed), read;
        char code[DIAGNOSIS_CODE_MAX];

        d.run[0].always = counts[i].always;
        run_at(&d, ARRANGED(false, 0), 255, 0);
        write_code(&d, code);
        assert_int_equal(diagnosis_read_code(code, &read), STATUS_OK);
        assert_int_equal(read.run[0].passes, counts[i].passes);
        assert_int_equal(read.run[0].failed, counts[i].failed);
        assert_int_equal(read.run[0].always, counts[i].always);
        assert_int_equal(read.run[1].passes, 255);
        assert_int_equal(read.run[1].at.slot_of[1], DIAGNOSIS_ABSENT);
    }
}

/* Names come from the machine. */
static void gets_its_names_back(void **state)
{
    struct diagnosis d = sample(), read;
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis_arrangement now, asked = ARRANGED(true, 0, 1, 2, 3);
    char code[DIAGNOSIS_CODE_MAX];
    unsigned notes;

    write_code(&d, code);
    assert_int_equal(diagnosis_read_code(code, &read), STATUS_OK);
    assert_int_equal(diagnosis_observe(&read, &m, &asked, &now, &notes), STATUS_OK);
    assert_int_equal(notes, 0);
    assert_string_equal(read.slot_name[2], "DIMM_B1");
    assert_string_equal(read.module[3].serial, "1000AAA3");
    assert_true(diagnosis_same_modules(&now, &asked, 4));
}

static void as_people_type(void **state)
{
    struct diagnosis d = sample(), read;
    char code[DIAGNOSIS_CODE_MAX], typed[DIAGNOSIS_CODE_MAX];
    size_t n = 0;

    write_code(&d, code);
    for (size_t i = 0; code[i]; i++) {
        char c = code[i] == '1' ? 'l' : code[i] == '0' ? 'O' : (char)toupper(code[i]);

        if (code[i] != '-')
            typed[n++] = c;
    }
    typed[n] = 0;
    assert_int_equal(diagnosis_read_code(typed, &read), STATUS_OK);
}

static void notices_a_wrong_character(void **state)
{
    struct diagnosis d = sample(), read;
    char code[DIAGNOSIS_CODE_MAX], cut[DIAGNOSIS_CODE_MAX];

    write_code(&d, code);
    for (size_t i = 0; code[i]; i++) {
        char right = code[i];

        if (right == '-')
            continue;
        code[i] = right == 'a' ? 'b' : 'a';
        assert_int_equal(diagnosis_read_code(code, &read), STATUS_INVALID);
        code[i] = right;
        string_copy(cut, code, i + 1);
        assert_int_equal(diagnosis_read_code(cut, &read), STATUS_INVALID);
    }
}

static void refuses_what_is_no_code(void **state)
{
    static const char *const codes[] = {
        "", "-", "on", "u", "0000", "2000-0000-0000", "zzzz-zzzz-zzzz-zzzz-zzzz"
    };
    char longest[2 * DIAGNOSIS_CODE_MAX];
    struct diagnosis read;

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        assert_int_equal(diagnosis_read_code(codes[i], &read), STATUS_INVALID);
    memset(longest, '7', sizeof(longest));
    longest[sizeof(longest) - 1] = 0;
    assert_int_equal(diagnosis_read_code(longest, &read), STATUS_INVALID);
}

static void the_largest_fits(void **state)
{
    struct diagnosis_machine m = machine_of(8);
    struct diagnosis d = begun(&m, 65535, 65535), read;
    char code[DIAGNOSIS_CODE_MAX];

    while (d.n_runs < DIAGNOSIS_RUNS_MAX)
        run_at(&d, d.run[0].at, 65535, 65535);
    write_code(&d, code);
    assert_int_equal(diagnosis_read_code(code, &read), STATUS_OK);
    assert_int_equal(read.n_runs, DIAGNOSIS_RUNS_MAX);
}

static void check_fault(const char *code, const char *why)
{
    char text[120] = "";
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    diagnosis_append_code_fault(code, &b);
    assert_string_equal(text, why);
}

static void says_what_is_wrong(void **state)
{
    struct diagnosis d = sample();
    char code[DIAGNOSIS_CODE_MAX], other[DIAGNOSIS_CODE_MAX + 8];
    char longest[2 * DIAGNOSIS_CODE_MAX];
    size_t n;

    write_code(&d, code);
    n = strlen(code);
    check_fault(code, "");
    check_fault("", "it is empty");
    check_fault("--", "it is empty");
    check_fault("4c-u", "its character 4, \"u\", is not one that such a word has");
    check_fault("4c 1", "its character 3, \" \", is not one that such a word has");
    check_fault("zzzz", "it is of another version of okram, or its first character is mistyped");
    snprintf(other, sizeof(other), "%.*s", (int)n - 6, code);
    check_fault(other, "it is too short, or a character is mistyped");
    snprintf(other, sizeof(other), "%s0", code);
    check_fault(other, "it is too long, or a character is mistyped");
    strcpy(other, code);
    other[n - 1] = other[n - 1] == '0' ? '8' : '0';
    other[n - 2] = other[n - 2] == '0' ? '8' : '0';
    check_fault(other, "a character is mistyped, or two are exchanged");
    memset(longest, '0', sizeof(longest));
    longest[sizeof(longest) - 1] = 0;
    check_fault(longest, "it is too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(counts_stay),
        cmocka_unit_test(gets_its_names_back),
        cmocka_unit_test(as_people_type),
        cmocka_unit_test(notices_a_wrong_character),
        cmocka_unit_test(refuses_what_is_no_code),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(the_largest_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
