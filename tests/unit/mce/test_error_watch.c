// SPDX-License-Identifier: MIT
#include "mce/error_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants those before. */
#include <cmocka.h>

static struct error_watch w;

static int nothing_seen(void **state)
{
    memset(&w, 0, sizeof(w));
    return 0;
}

static enum error_news see(const char *report, bool clears)
{
    enum error_news news = error_watch_report(&w, report, strlen(report));

    error_watch_cleared(&w, clears);
    return news;
}

static void each_report_is_news_once_it_was_cleared(void **state)
{
    assert_int_equal(see("a", true), ERROR_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS); /* the same error again */
    error_watch_empty(&w);
    assert_int_equal(see("b", true), ERROR_NEWS);
}

/* It is one error, however often it is looked at. */
static void a_report_that_cannot_be_cleared_counts_once(void **state)
{
    assert_int_equal(see("a", false), ERROR_NEWS);
    for (unsigned i = 1; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", false), ERROR_NO_NEWS);
    assert_int_equal(see("a", false), ERROR_IGNORED);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", false), ERROR_NO_NEWS);
}

static void another_one_there_is_news(void **state)
{
    assert_int_equal(see("a", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NO_NEWS);
    error_watch_empty(&w); /* cleared late */
    assert_int_equal(see("b", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NO_NEWS);
}

static void one_that_is_written_again_and_again_is_ignored(void **state)
{
    for (unsigned i = 0; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", true), ERROR_NEWS);
    assert_int_equal(see("a", true), ERROR_IGNORED);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", true), ERROR_NO_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS); /* no other is lost */
}

/* A storm of errors at different places goes on, and so does one with pauses. */
static void different_reports_are_never_ignored(void **state)
{
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see(i & 1 ? "a" : "b", true), ERROR_NEWS);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++) {
        error_watch_empty(&w);
        assert_int_equal(see("a", true), ERROR_NEWS);
    }
}

/* Whether it can be cleared or not at each look. */
static void a_mixture_is_ignored_too(void **state)
{
    for (unsigned i = 0; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_not_equal(see("a", i % 3 == 0), ERROR_IGNORED);
    assert_int_equal(see("a", true), ERROR_IGNORED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_report_is_news_once_it_was_cleared, nothing_seen),
        cmocka_unit_test_setup(a_report_that_cannot_be_cleared_counts_once, nothing_seen),
        cmocka_unit_test_setup(another_one_there_is_news, nothing_seen),
        cmocka_unit_test_setup(one_that_is_written_again_and_again_is_ignored, nothing_seen),
        cmocka_unit_test_setup(different_reports_are_never_ignored, nothing_seen),
        cmocka_unit_test_setup(a_mixture_is_ignored_too, nothing_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
