// SPDX-License-Identifier: MIT
#include "lib/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char *date(int64_t seconds)
{
    static char text[32];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    date_append(&b, seconds);
    return text;
}

static void each_day_is_the_c_librarys(void **state)
{
    for (int64_t day = 0; day < 400 * 366; day++) {
        time_t t = day * 86400 + day % 86400;
        char expected[32];
        struct tm tm;

        gmtime_r(&t, &tm);
        strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S", &tm);
        assert_string_equal(date(t), expected);
    }
}

static void has_limits(void **state)
{
    assert_string_equal(date(0), "1970-01-01T00:00:00");
    assert_string_equal(date(253402300799), "9999-12-31T23:59:59");
    assert_string_equal(date(253402300800), "");
    assert_string_equal(date(-1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_day_is_the_c_librarys),
        cmocka_unit_test(has_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
