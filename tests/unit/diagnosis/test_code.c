// SPDX-License-Identifier: MIT
#include "diagnosis/code.h"

#include <ctype.h>

#include "fitted.h"
#include "lib/string.h"

#define MARCH "{any(w0);up(r0,w1)}"

static char code[DIAGNOSIS_KEPT_MAX], why[120];

/* Of four slots and three runs, one of which did not start; another one goes on. */
static struct diagnosis sample(void)
{
    struct diagnosis_machine m = machine_of(3);
    struct arrangement at = ARRANGED(true, 0, -1, 1);
    struct diagnosis d;

    fit(&m, 3, NULL);
    set_speed(&m, FAST, SLOW);
    d = begun(&m, 20, 9);
    d.module[1].size_mib = 24 << 10;
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    d.settings_stayed = 1;
    run_at(&d, ARRANGED(false, -1, 3, -1), 9000, 300);
    d.run[1].always = true;
    diagnosis_not_started(&d, &at);
    d.running = at;
    d.is_running = d.is_offered = true;
    strcpy(d.march, MARCH);
    return d;
}

static size_t write_code(const struct diagnosis *d, bool with_names)
{
    struct fmt_buffer b = fmt_buffer_make(code, with_names ? sizeof(code) : DIAGNOSIS_CODE_MAX);

    diagnosis_append_code(d, with_names, &b);
    assert_false(b.cut);
    return b.length;
}

/* As somebody has typed it, or it was kept; *why is "" if it is a word. */
static bool read_code(bool was_typed, struct diagnosis *ret_read)
{
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));
    enum status status = diagnosis_read_code(code, was_typed, ret_read, &b);

    assert_int_equal(status == STATUS_OK, !why[0]);
    return status == STATUS_OK;
}

/* Field by field: there is padding between them. */
static void assert_same_runs(const struct diagnosis *a, const struct diagnosis *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct diagnosis_run *x = &a->run[i], *y = &b->run[i];

        assert_memory_equal(&x->at, &y->at, sizeof(x->at));
        assert_int_equal(x->passes, y->passes);
        assert_int_equal(x->failed, y->failed);
        assert_int_equal(x->always, y->always);
    }
}

static void comes_back(void **state)
{
    for (unsigned with_names = 0; with_names < 2; with_names++) {
        struct diagnosis d = sample(), read;
        char first[DIAGNOSIS_KEPT_MAX];
        size_t n = write_code(&d, with_names);

        assert_in_range(n, 40, with_names ? 800 : 70); /* it is to be typed */
        assert_true(read_code(false, &read));
        assert_int_equal(read.n_slots, 4);
        assert_int_equal(read.n_modules, 3);
        assert_int_equal(read.first_mt_s, FAST);
        assert_int_equal(read.jedec_mt_s, SLOW);
        assert_int_equal(read.kind, DIAGNOSIS_KIND_EVERYWHERE);
        assert_int_equal(read.settings_stayed, 1);
        assert_int_equal(read.n_runs, 3);
        assert_same_runs(&read, &d, 3);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(read.module[i].id, d.module[i].id);
            assert_int_equal(read.module[i].size_mib, d.module[i].size_mib);
            assert_string_equal(read.module[i].serial, with_names ? d.module[i].serial : "");
            assert_string_equal(read.module[i].part, with_names ? "F5-6000" : "");
        }
        assert_string_equal(read.slot_name[3], with_names ? "DIMM_B2" : "");
        assert_string_equal(read.tests, with_names ? "march-c-" : "");
        assert_string_equal(read.march, with_names ? MARCH : "");
        assert_int_equal(read.is_running && read.is_offered, with_names);
        if (with_names)
            assert_memory_equal(&read.running, &d.running, sizeof(d.running));
        strcpy(first, code);
        write_code(&read, with_names);
        assert_string_equal(code, first);
    }
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

        d.run[0].always = counts[i].always;
        run_at(&d, ARRANGED(false, 0), 255, 0);
        write_code(&d, false);
        assert_true(read_code(true, &read));
        assert_same_runs(&read, &d, 2);
    }
}

/* Names come from the machine. */
static void gets_its_names_back(void **state)
{
    struct diagnosis_machine m = machine_of(4);
    struct diagnosis d = begun(&m, 1, 1), read;
    struct arrangement now, asked = ARRANGED(true, 0, 1, 2, 3);
    unsigned notes;

    write_code(&d, false);
    assert_true(read_code(true, &read));
    assert_int_equal(diagnosis_observe(&read, &m, &asked, &now, &notes), STATUS_OK);
    assert_int_equal(notes, 0);
    assert_string_equal(read.slot_name[2], "DIMM_B1");
    assert_string_equal(read.module[3].serial, "1000AAA3");
    assert_true(diagnosis_same_modules(&now, &asked, 4));
}

static void as_people_type(void **state)
{
    struct diagnosis d = sample(), read;
    size_t n = 0;

    write_code(&d, false);
    for (size_t i = 0; code[i]; i++) {
        char c = code[i] == '1' ? 'l' : code[i] == '0' ? 'O' : (char)toupper(code[i]);

        if (code[i] != '-')
            code[n++] = c;
    }
    code[n] = 0;
    assert_true(read_code(true, &read));
}

/* Each character changed, each length. */
static void notices_damage(void **state)
{
    for (unsigned with_names = 0; with_names < 2; with_names++) {
        struct diagnosis d = sample(), read;
        size_t n = write_code(&d, with_names);

        while (n--) {
            char right = code[n];

            code[n] = right == 'a' ? 'b' : 'a';
            assert_true(right == '-' || !read_code(!with_names, &read));
            code[n] = 0;
            assert_false(read_code(!with_names, &read));
        }
    }
}

static void the_largest_fits(void **state)
{
    struct diagnosis d = { .n_slots = DIAGNOSIS_SLOTS_MAX,
                           .n_modules = DIAGNOSIS_MODULES_MAX,
                           .n_runs = DIAGNOSIS_RUNS_MAX,
                           .is_running = true },
                     read;
    char first[DIAGNOSIS_KEPT_MAX];

    memset(d.slot_name, 'x', sizeof(d.slot_name)); /* no end: one is made */
    memset(d.tests, 'x', sizeof(d.tests));
    memset(d.march, ' ', sizeof(d.march) - 1);
    memcpy(d.march + sizeof(d.march) - sizeof(MARCH), MARCH, sizeof(MARCH));
    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        memset(d.module[i].serial, 'x', DIAGNOSIS_SERIAL);
        memset(d.module[i].part, 'x', DIAGNOSIS_PART);
        d.running.slot_of[i] = (uint8_t)i;
    }
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX; i++)
        d.run[i] = (struct diagnosis_run){ d.running, 65535, 65535, true };
    write_code(&d, false);
    assert_true(read_code(true, &read));
    write_code(&d, true);
    assert_true(read_code(false, &read));
    assert_int_equal(strlen(read.slot_name[15]), DIAGNOSIS_SLOT_NAME - 1);
    assert_int_equal(strlen(read.tests), DIAGNOSIS_TESTS - 1);
    assert_string_equal(read.march, d.march);
    strcpy(first, code);
    write_code(&read, true);
    assert_string_equal(code, first);
}

/* What is not printable is not shown. */
static void texts_are_plain(void **state)
{
    struct diagnosis d = sample(), read;

    strcpy(d.slot_name[0], "A\n\x7f \xe9~");
    write_code(&d, true);
    assert_true(read_code(false, &read));
    assert_string_equal(read.slot_name[0], "A?? i~"); /* of 7 bits */
}

static void what_cannot_be(void **state)
{
    struct diagnosis bad = sample(), read;

    strcpy(bad.march, "{any(r0)}");
    write_code(&bad, true);
    assert_false(read_code(false, &read));
    assert_string_equal(why, "it holds what cannot be");
    bad = sample();
    bad.run[1].passes = 0; /* as if it had not started, with faults */
    write_code(&bad, false);
    assert_false(read_code(true, &read));
    assert_string_equal(why, "it holds what cannot be");
}

static void check_fault(const char *text, const char *typed, const char *kept)
{
    struct diagnosis read;

    strcpy(code, text);
    assert_false(read_code(true, &read));
    assert_string_equal(why, typed);
    assert_false(read_code(false, &read));
    assert_string_equal(why, kept);
}

static void says_what_is_wrong(void **state)
{
    static const char too_short[] = "it is too short, or a character is mistyped";
    static const char too_long[] = "it is too long, or a character is mistyped";
    static const char another[] = "it is of another version of okram, or its first character is "
                                  "mistyped";
    struct diagnosis d = sample();
    char other[DIAGNOSIS_KEPT_MAX];
    size_t n = write_code(&d, false);

    strcpy(other, code);
    check_fault("", "it is empty", "it is empty");
    check_fault("--", "it is empty", "it is empty");
    check_fault("4c-u", "its character 4, \"u\", is not one that such a word has",
                "it is not a word of okram");
    check_fault("4c 1", "its character 3, \" \", is not one that such a word has",
                "it is not a word of okram");
    check_fault("zzzz", another, "it is of another version of okram");
    check_fault("0000", another, "it is of another version of okram");
    check_fault("2000-0000-0000", another, "it is of another version of okram");
    other[n - 6] = 0;
    check_fault(other, too_short, "it is cut or damaged");
    write_code(&d, false);
    strcpy(other, code);
    strcat(other, "0");
    check_fault(other, too_long, "it is damaged");
    other[n] = 0;
    other[n - 1] = other[n - 1] == '0' ? '8' : '0';
    other[n - 2] = other[n - 2] == '0' ? '8' : '0';
    check_fault(other, "a character is mistyped, or two are exchanged", "its checksum is wrong");
    memset(other, '8', sizeof(other));
    other[sizeof(other) - 1] = 0;
    check_fault(other, too_long, "it is damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),         cmocka_unit_test(counts_stay),
        cmocka_unit_test(as_people_type),     cmocka_unit_test(gets_its_names_back),
        cmocka_unit_test(notices_damage),     cmocka_unit_test(the_largest_fits),
        cmocka_unit_test(texts_are_plain),    cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
