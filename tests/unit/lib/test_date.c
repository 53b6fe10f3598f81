// SPDX-License-Identifier: MIT
#include "lib/date.h"

#include <time.h>

#include "tests/unit/unit.h"

static const char *date(int64_t seconds)
{
    static char text[32];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    date_append(&b, seconds);
    return text;
}

TEST(each_day_is_the_c_librarys)
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

TEST(has_limits)
{
    assert_string_equal(date(0), "1970-01-01T00:00:00");
    assert_string_equal(date(253402300799), "9999-12-31T23:59:59");
    assert_string_equal(date(253402300800), "");
    assert_string_equal(date(-1), "");
}

TEST(seconds_are_the_c_librarys)
{
    for (int64_t day = 1; day < 2932896; day += day < 100000 ? 1 : 97) { /* to 9999 */
        time_t t = day * 86400 + day % 86400;
        struct tm tm;

        gmtime_r(&t, &tm);
        assert_int_equal(
            date_seconds(&(struct date){ (unsigned)tm.tm_year + 1900, (unsigned)tm.tm_mon + 1,
                                         (unsigned)tm.tm_mday, (unsigned)tm.tm_hour,
                                         (unsigned)tm.tm_min, (unsigned)tm.tm_sec }),
            t);
    }
}

TEST(what_is_no_date_is_0)
{
    static const struct date wrong[] = {
        { 1969, 12, 31, 0, 0, 0 }, { 10000, 1, 1, 0, 0, 0 }, { 2026, 0, 1, 0, 0, 0 },
        { 2026, 13, 1, 0, 0, 0 },  { 2026, 1, 0, 0, 0, 0 },  { 2026, 1, 32, 0, 0, 0 },
        { 2026, 1, 1, 24, 0, 0 },  { 2026, 1, 1, 0, 60, 0 }, { 2026, 1, 1, 0, 0, 60 },
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(date_seconds(&wrong[i]), 0);
}
