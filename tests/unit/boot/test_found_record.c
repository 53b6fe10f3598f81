// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/found_record.h"

#include "diagnosis/code.h"
#include "diagnosis/fitted.h"

static char jsonl[4096];

/* A report whose record has this code and these other members. */
static void make(const char *code, const char *members)
{
    snprintf(jsonl, sizeof(jsonl),
             "{\"type\":\"start\",\"tests\":\"diagnosis\"}\n"
             "{\"t\":9,\"type\":\"diagnosis\",%s,\"code\":\"%s\"}\n"
             "{\"type\":\"result\",\"status\":\"fail\"}\n",
             members, code);
}

static const char *code_of(unsigned n_modules)
{
    static char code[DIAGNOSIS_CODE_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));
    struct diagnosis_machine m = machine_of(n_modules);
    struct diagnosis d = begun(&m, 3, 3);

    diagnosis_append_code(&d, &b);
    return code;
}

static void reads_state_and_tests(void **state)
{
    struct found_record r;

    make(code_of(4), "\"begun\":true,\"end\":null,\"tests\":\"march-c-,random\"");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
    assert_true(r.begun);
    assert_int_equal(r.state.n_modules, 4);
    assert_int_equal(r.state.n_runs, 1);
    assert_string_equal(r.state.tests, "march-c-,random");
    make(code_of(2), "\"begun\":false");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
    assert_false(r.begun);
    assert_string_equal(r.state.tests, "");
}

static void the_last_one_counts(void **state)
{
    struct found_record r;
    size_t n;

    make(code_of(4), "\"begun\":true");
    n = strlen(jsonl);
    snprintf(jsonl + n, sizeof(jsonl) - n,
             "{\"type\":\"diagnosis\",\"begun\":false,\"code\":\"%s\"}", code_of(2));
    assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
    assert_int_equal(r.state.n_modules, 2);
}

static void reads_a_march(void **state)
{
    struct found_record r;

    make(code_of(2), "\"begun\":true,\"tests\":\"march\",\"march\":\"{any(w0);any(r0)}\"");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
    assert_string_equal(r.state.tests, "march");
    assert_string_equal(r.state.march, "{any(w0);any(r0)}");
    make(code_of(2), "\"begun\":true,\"tests\":\"march\",\"march\":\"{any(w0)}' nodes=0\"");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
    assert_string_equal(r.state.march, "");
}

/* What would be more than one option, or does not fit. */
static void odd_tests_are_all_tests(void **state)
{
    static const char *const odd[] = { "a nodes=0", "a\\\"b", "a\\tb c", "a'" };
    char members[512], name[DIAGNOSIS_TESTS + 1];
    struct found_record r;

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        snprintf(members, sizeof(members), "\"begun\":true,\"tests\":\"%s\"", odd[i]);
        make(code_of(2), members);
        assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
        assert_string_equal(r.state.tests, "");
    }
    for (size_t n = DIAGNOSIS_TESTS - 1; n <= DIAGNOSIS_TESTS; n++) {
        memset(name, 'a', n);
        name[n] = 0;
        snprintf(members, sizeof(members), "\"begun\":true,\"tests\":\"%s\"", name);
        make(code_of(2), members);
        assert_int_equal(found_record_read(jsonl, &r), STATUS_OK);
        assert_int_equal(strlen(r.state.tests), n < DIAGNOSIS_TESTS ? n : 0);
    }
}

static void what_is_none(void **state)
{
    struct found_record r = { .begun = true };
    char code[DIAGNOSIS_CODE_MAX];

    assert_int_equal(found_record_read("", &r), STATUS_NOT_FOUND);
    assert_int_equal(found_record_read("{\"type\":\"start\"}\n{\"type\":\"diag", &r),
                     STATUS_NOT_FOUND);
    strcpy(code, code_of(4));
    code[7] = code[7] == '0' ? '1' : '0';
    make(code, "\"begun\":true");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_INVALID);
    make("", "\"begun\":true");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_INVALID);
    make(code_of(4), "\"begin\":true");
    assert_int_equal(found_record_read(jsonl, &r), STATUS_INVALID);
    assert_int_equal(r.state.n_modules, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_state_and_tests), cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(reads_a_march),         cmocka_unit_test(odd_tests_are_all_tests),
        cmocka_unit_test(what_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
