// SPDX-License-Identifier: MIT
#include "diagnosis/code.h"

#include <ctype.h>

#include "fitted.h"

#define MARCH "{any(w0);up(r0,w1)}"

static char code[DIAGNOSIS_KEPT_MAX];

/* Of four slots and three runs, one of which did not start. */
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
    d.is_offered = true;
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

/* Field by field: there is padding between them. */
static void assert_same_runs(const struct diagnosis *a, const struct diagnosis *b)
{
    assert_int_equal(a->n_runs, b->n_runs);
    for (unsigned i = 0; i < a->n_runs; i++) {
        const struct diagnosis_run *x = &a->run[i], *y = &b->run[i];

        assert_true(diagnosis_is_same(&x->at, &y->at));
        assert_int_equal(x->passes, y->passes);
        assert_int_equal(x->failed, y->failed);
        assert_int_equal(x->always, y->always);
    }
}

TEST(comes_back)
{
    for (unsigned with_names = 0; with_names < 2; with_names++) {
        static const struct diagnosis_names none;
        struct diagnosis d = sample(), read;
        char first[DIAGNOSIS_KEPT_MAX];

        assert_in_range(write_code(&d, with_names), 40, with_names ? 800 : 70); /* to be typed */
        assert_null(diagnosis_read_code(code, &read));
        assert_int_equal(read.n_slots, 4);
        assert_int_equal(read.n_modules, 3);
        assert_int_equal(read.first_mt_s, FAST);
        assert_int_equal(read.jedec_mt_s, SLOW);
        assert_int_equal(read.kind, DIAGNOSIS_KIND_EVERYWHERE);
        assert_int_equal(read.settings_stayed, 1);
        assert_same_runs(&read, &d);
        assert_memory_equal(read.module, d.module, 3 * sizeof(d.module[0]));
        assert_memory_equal(&read.names, with_names ? &d.names : &none, sizeof(none));
        assert_string_equal(read.tests, with_names ? "march-c-" : "");
        assert_string_equal(read.march, with_names ? MARCH : "");
        assert_int_equal(read.is_offered, with_names);
        strcpy(first, code);
        write_code(&read, with_names);
        assert_string_equal(code, first);
    }
}

/* Of a word with suspects the version is another one; of one without it stays, as images before. */
TEST(suspects_come_back)
{
    for (unsigned i = 0; i < 4; i++) {
        struct diagnosis d = sample(), read;
        size_t without = write_code(&d, i % 2);

        diagnosis_suspect(&d, 5, i / 2);
        assert_in_range(write_code(&d, i % 2), without + 1, without + 2);
        assert_int_equal(code[0], i % 2 ? 'v' : 'q');
        assert_null(diagnosis_read_code(code, &read));
        assert_int_equal(read.suspects, 5);
        assert_int_equal(read.suspicion, i / 2);
        assert_same_runs(&read, &d);
        assert_string_equal(read.names.slot[3], i % 2 ? "DIMM_B2" : "");
        d.suspects = 7; /* all */
        write_code(&d, i % 2);
        assert_string_equal(diagnosis_read_code(code, &read), "it holds what cannot be");
    }
}

/*
 * The sample as images wrote it that kept names in another form: typed, it goes on. With names, of
 * images that knew no suspects.
 */
TEST(words_of_older_images)
{
    static const char typed[] = "b8tf-31c3-pes4-03t3-rcx5-0mw0-0j02-4fz4-cme0-9cz3-zr00-1y3m-gy2";
    static const char kept[] =
        "f8tf-31c3-pes4-03t3-rcx5-0mw0-0j02-4fz4-cme0-9cz3-zr00-1y27-rzyv-gyb3-t2vh-nm00-494s-pdqw-"
        "2rg2-4jcv-6vy1-cg12-96dk-dz16-40h4-k6sp-zgk4-065g-c310-r61c-0136-nddk-0r60-0cb0-r621-gc2r-"
        "g26d-atv6-1gc0-0rp1-gc43-0r5j-04ct-nnpc-30r0-188f-w";
    static const char named[] =
        "g0tf-31c3-pes4-03p3-rcx1-03c0-49pw-7jry-gpwd-d001-296d-kdz0-p40h-4k6s-pzgb-408j-9kcv-fr9h-"
        "0494-spdq-w4s0-1hc3-0r86-1gb0-08sn-bbcr-61g0-32r6-1ggc-30p4-0hka-ppsg-c300-65gc-310r-61cg-"
        "136n-ddk0-r600-1526";
    struct diagnosis d = sample(), read;

    write_code(&d, false);
    assert_string_equal(code, typed);
    assert_null(diagnosis_read_code(typed, &read));
    assert_same_runs(&read, &d);
    assert_non_null(strstr(diagnosis_read_code(kept, &read), "of another version"));
    assert_null(diagnosis_read_code(named, &read));
    assert_string_equal(read.names.serial[1], "1000AAA1");
    assert_int_equal(read.suspects, 0);
}

/* Counts come back as they were, on both sides of the limits of the short fields. */
TEST(counts_stay)
{
    static const struct diagnosis_count counts[] = {
        { 1, 1, true },    { 6, 6, false },   { 7, 7, true },      { 254, 6, false },
        { 255, 7, false }, { 256, 8, false }, { 65535, 1, false }, { 65535, 65535, true },
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d = begun(&m, counts[i].passes, counts[i].failed), read;

        d.run[0].always = counts[i].always;
        run_at(&d, ARRANGED(false, 0), 255, 0);
        write_code(&d, false);
        assert_null(diagnosis_read_code(code, &read));
        assert_same_runs(&read, &d);
    }
}

TEST(as_people_type)
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
    assert_null(diagnosis_read_code(code, &read));
}

/* Each character changed, each length. */
TEST(notices_damage)
{
    for (unsigned with_names = 0; with_names < 2; with_names++) {
        struct diagnosis d = sample(), read;
        size_t n = write_code(&d, with_names);

        while (n--) {
            char right = code[n];

            code[n] = right == 'a' ? 'b' : 'a';
            assert_true(right == '-' || diagnosis_read_code(code, &read));
            code[n] = 0;
            assert_non_null(diagnosis_read_code(code, &read));
        }
    }
}

TEST(the_largest_fits)
{
    struct diagnosis d = { .n_slots = DIAGNOSIS_SLOTS_MAX,
                           .n_modules = DIAGNOSIS_MODULES_MAX,
                           .n_runs = DIAGNOSIS_RUNS_MAX,
                           .suspects = 0x7f },
                     read;

    memset(&d.names, 'x', sizeof(d.names)); /* no end: one is made */
    memset(d.tests, 'x', sizeof(d.tests));
    memset(d.march, ' ', sizeof(d.march) - 1);
    memcpy(d.march + sizeof(d.march) - sizeof(MARCH), MARCH, sizeof(MARCH));
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX; i++)
        d.run[i] =
            (struct diagnosis_run){ ARRANGED(false, 0, 1, 2, 3, 4, 5, 6, 7), 65535, 65535, true };
    write_code(&d, false);
    assert_null(diagnosis_read_code(code, &read));
    write_code(&d, true);
    assert_null(diagnosis_read_code(code, &read));
    assert_int_equal(strlen(read.names.slot[15]), DIAGNOSIS_SLOT_NAME - 1);
    assert_int_equal(strlen(read.names.part[7]), DIAGNOSIS_PART - 1);
    assert_int_equal(strlen(read.tests), DIAGNOSIS_TESTS - 1);
    assert_string_equal(read.march, d.march);
}

TEST(says_what_is_wrong)
{
    static const char character[] = "it has a character that no such word has";
    static const char version[] = "it is of another version of okram, or its first character is "
                                  "wrong";
    static const char length[] = "it is too short or too long, or a character is wrong";
    static const char checksum[] = "its checksum is wrong: a character is wrong, or two are "
                                   "exchanged";
    static const char cannot_be[] = "it holds what cannot be";
    struct diagnosis d = sample(), read;
    char cut[100], longer[100], changed[100], bad[100], large[DIAGNOSIS_KEPT_MAX];
    const char *const cases[][2] = {
        { "", "it is empty" }, { "--", "it is empty" }, { "4c-u", character },
        { "4c 1", character }, { "zzzz", version },     { "0000", version },
        { cut, length },       { longer, length },      { changed, checksum },
        { large, length },     { bad, cannot_be },      { "OKDI\2\xff", character },
    };
    size_t n = write_code(&d, false);

    strcpy(cut, code);
    cut[n - 6] = 0;
    strcpy(longer, code);
    strcpy(longer + n, "0");
    strcpy(changed, code);
    changed[n - 1] = changed[n - 1] == '0' ? '8' : '0';
    changed[n - 2] = changed[n - 2] == '0' ? '8' : '0';
    memset(large, '8', sizeof(large));
    large[sizeof(large) - 1] = 0;
    d.run[1].passes = 0; /* as if it had not started, with faults */
    write_code(&d, false);
    strcpy(bad, code);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(diagnosis_read_code(cases[i][0], &read), cases[i][1]);

    d = sample();
    strcpy(d.names.slot[0], "A\n\x7f \xe9~"); /* of 7 bits; not printable: not shown */
    write_code(&d, true);
    assert_null(diagnosis_read_code(code, &read));
    assert_string_equal(read.names.slot[0], "A?? i~");
}

TEST(a_cpu_comes_back)
{
    for (unsigned with_names = 0; with_names < 2; with_names++) {
        struct diagnosis d = sample(), read;

        d.kind = DIAGNOSIS_KIND_CPU;
        diagnosis_suspect(&d, 1, DIAGNOSIS_MEASURED); /* it has none */
        write_code(&d, with_names);
        assert_null(diagnosis_read_code(code, &read));
        assert_int_equal(read.kind, DIAGNOSIS_KIND_CPU);
        assert_int_equal(read.suspects, 0);
        assert_same_runs(&read, &d);
    }
}
