// SPDX-License-Identifier: MIT
#include "options/option_tests.h"

#include "tests/unit/firmware/fake.h"

static struct options options;
static struct test_list list;
static struct warning_log log_;

static void choose(const char *text)
{
    struct warnings warnings = warnings_to(&log_);

    options_set_defaults(&options);
    memset(&log_, 0, sizeof(log_));
    memset(&list, 0xff, sizeof(list)); /* what was there is no list */
    options_parse(&options, text, &warnings);
    option_tests(&options, &warnings, &list);
}

static void takes_what_is_named(void **state)
{
    choose("tests=quick");
    assert_int_equal(log_.n, 0);
    assert_int_equal(list.n_tests, 2);
    choose("tests=quick march={any(w0);up(r0,w1)}");
    assert_int_equal(log_.n, 0);
    assert_int_equal(list.n_tests, 3);
    assert_string_equal(list.test[2].name, TEST_OWN);
    choose("tests=march,address march={any(w0);up(r0,w1)}"); /* in its place */
    assert_int_equal(list.n_tests, 2);
    assert_string_equal(list.test[0].name, TEST_OWN);
}

static void runs_standard_instead_of_what_is_none(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "tests=quik", "tests=, character 1: \"quik\" is not a test or level; running standard; "
                        "expected quick, standard, thorough or of" },
        { "tests=quick,march", "tests=, character 7: march is the march test of march=, and there "
                               "is none; running standard" },
        { "tests=address*65", "running standard" },
    };
    size_t n;

    choose("tests=standard");
    n = list.n_tests;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        choose(cases[i].text);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(list.n_tests, n);
    }
}

static void leaves_out_a_march_that_is_none(void **state)
{
    choose("tests=quick march={up(r0)}");
    assert_warned(&log_, 1,
                  "march={up(r0)}: at character 5, a write before the first read was "
                  "expected; it is not run");
    assert_int_equal(list.n_tests, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_is_named),
        cmocka_unit_test(runs_standard_instead_of_what_is_none),
        cmocka_unit_test(leaves_out_a_march_that_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
