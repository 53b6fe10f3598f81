// SPDX-License-Identifier: MIT
#include "options/option_tests.h"

#include "lib/fmt.h"
#include "lib/panic.h"
#include "lib/string.h"

/* Of a wrong word in a warning. */
#define SHOWN_CHARS 32

static void warn_of_tests(const char *words, struct test_word bad, const struct warnings *warnings)
{
    char names[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(names, sizeof(names));
    int shown = bad.length < SHOWN_CHARS ? (int)bad.length : SHOWN_CHARS;

    if (strncmp(words + bad.position, TEST_OWN, bad.length) == 0 &&
        bad.length == sizeof(TEST_OWN) - 1) {
        warn_print(
            warnings,
            "tests=, character %zu: march is the march test of march=, and there is none; running "
            "standard",
            bad.position + 1);
        return;
    }
    for (size_t i = 0; tests_row(i); i++)
        fmt_append(&b, " %s", tests_row(i)->name);
    warn_print(warnings,
               "tests=, character %zu: \"%.*s\" is not a test or level; running standard; expected "
               "quick, standard, thorough or of%s",
               bad.position + 1, shown, words + bad.position, names);
}

void option_tests(const struct options *options, const struct warnings *warnings,
                  struct test_list *ret_tests)
{
    struct test_word bad;
    struct march_error error;

    ret_tests->n_tests = 0;
    switch (tests_select(options->tests, options->march, ret_tests, &bad)) {
    case STATUS_OK: break;
    case STATUS_NO_SPACE:
        warn_print(warnings, "tests=, character %zu: more than %d tests; running standard",
                   bad.position + 1, TEST_LIST_MAX);
        break;
    default: warn_of_tests(options->tests, bad, warnings);
    }
    if (!ret_tests->n_tests)
        ASSERT(tests_select("standard", "", ret_tests, &bad) == STATUS_OK);
    if (!options->march[0] || tests_have_own(ret_tests))
        return;
    switch (tests_add_march(ret_tests, options->march, &error)) {
    case STATUS_OK: break;
    case STATUS_INVALID:
        warn_print(warnings, "march=%s: at character %zu, %s was expected; it is not run",
                   options->march, error.position + 1, error.expected);
        break;
    default:
        warn_print(warnings, "march=%s: there are too many tests already; it is not run",
                   options->march);
    }
}
