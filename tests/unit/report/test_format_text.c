// SPDX-License-Identifier: MIT
#include "report/capture.h"
#include "report/format_text.h"
#include "tests/unit/unit.h"

static char text[200];
static struct fmt_buffer b;

static void begin(void)
{
    b = fmt_buffer_make(text, sizeof(text));
}

TEST(durations)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        { 0, "0:00:00" },        { 0.999, "0:00:00" }, { 59.9, "0:00:59" },
        { 60, "0:01:00" },       { 3599, "0:59:59" },  { 3600, "1:00:00" },
        { 360000, "100:00:00" }, { -1, "0:00:00" },    { 1e300, "999999:59:59" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        format_text_append_duration(&b, cases[i].seconds);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(lists)
{
    static const struct {
        uint32_t n[6];
        size_t count;
        const char *text;
    } cases[] = {
        { { 0 }, 0, "none" },        { { 7 }, 1, "7" },
        { { 0, 1 }, 2, "0-1" },      { { 0, 1, 2, 4, 6, 7 }, 6, "0-2,4,6-7" },
        { { 3, 2, 1 }, 3, "3,2,1" }, { { 9, 9, 10 }, 3, "9,9-10" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        format_text_append_list(&b, cases[i].n, cases[i].count);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(bits)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        { 0, "none" },
        { 1, "0" },
        { UINT64_C(1) << 63, "63" },
        { 0xff, "0,1,2,3,4,5,6,7" },
        { 0x1ff, "9 of 64" },
        { UINT64_MAX, "64 of 64" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        format_text_append_bits(&b, cases[i].bits);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(aliases)
{
    const uint64_t most = (UINT64_C(1) << 52) - PAGE_SIZE;
    const struct {
        struct alias alias;
        const char *text;
    } cases[] = {
        { { 0x7040, 0x5040, 0x2000, false, 1, { 0x7000, 0x1000 }, { 0x5000, 0x1000 }, true },
          "page 0x7000 aliases 0x5000: both are excluded" },
        { { 1 << 28, 0, 1 << 28, false, 1 << 16, { 1 << 28, 1 << 28 }, { 0, 1 << 28 }, false },
          "0x10000000-0x1fffffff aliases 0x0-0xfffffff (65536 pages, address bits "
          "0x10000000): the upper copy is excluded" },
        { { 0x10000, 0, 0x10000, false, 0x8000, { 0x10000, 0xfff0000 }, { 0, 0xfff0000 }, false },
          "pages of 0x10000-0xfffffff alias pages of 0x0-0xffeffff (32768 pages, "
          "address bits 0x10000): the upper copy is excluded" },
        { { 0x8040, 0x40, 0, true, 2, { 0x8000, 0x4000 }, { 0, 0x2000 }, true },
          "pages of 0x8000-0xbfff alias 0x0-0x1fff (2 pages, such as 0x8040 and "
          "0x40): both are excluded" },
        { { 0x5040, 0x5000, 0, false, 1, { 0x5000, 0x1000 }, { 0x5000, 0x1000 }, true },
          "0x5000: lines within a page alias each other (1 page, such as 0x5040 and 0x5000): it is "
          "excluded" },
        { { 0x5040, 0x5000, 0, false, 2, { 0x5000, 0x3000 }, { 0x5000, 0x3000 }, true },
          "pages of 0x5000-0x7fff: lines within a page alias each other (2 pages, such as 0x5040 and "
          "0x5000): they are excluded" },
        { { 0, 0, most, false, PAGES_MAX - 1, { 0, most }, { 0, most }, false },
          "0x0-0xfffffffffefff aliases 0x0-0xfffffffffefff (1099511627775 pages, "
          "address bits 0xffffffffff000): the upper copy is excluded" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        format_text_append_alias(&b, &cases[i].alias);
        assert_string_equal(text, cases[i].text);
        assert_false(b.cut);
    }
}

TEST(percent_is_rounded_down)
{
    static const struct {
        double part;
        unsigned percent;
    } cases[] = {
        { -1, 0 },      { 0, 0 },   { 0.0099, 0 }, { 0.5, 50 },
        { 0.9999, 99 }, { 1, 100 }, { 1e30, 100 }, { __builtin_nan(""), 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(format_text_percent(cases[i].part), cases[i].percent);
}

TEST(a_stream_has_no_longest_text)
{
    FREED_BY(capture_free) struct capture c = { 0 };
    char room[4];
    struct fmt_buffer stream = fmt_stream_make(room, sizeof(room), capture_writer(&c));

    fmt_append(&stream, "%-4s", "ab");
    assert_string_equal(c.text, "ab ");
    fmt_append(&stream, "%-4s%d|%s", "abcde", -1, "x");
    fmt_append(&stream, "%s", "");
    fmt_flush(&stream);
    assert_string_equal(c.text, "ab  abcde-1|x");
    fmt_flush(&stream);
    assert_string_equal(c.text, "ab  abcde-1|x");
    assert_false(stream.cut);
    fmt_write(capture_writer(&c), " y");
    assert_string_equal(c.text, "ab  abcde-1|x y");
}

TEST(rate_limit_gives_a_twentieth_of_the_time)
{
    struct rate_limit p = { 0 }, slow = { .baud = 9600 };
    size_t written = 0;

    assert_true(rate_limit_allows(&p, 0, 2 * 11520)); /* the grace at the start, to the byte */
    assert_false(rate_limit_allows(&p, 0, 1));
    assert_true(rate_limit_allows(&slow, 0, 2 * 960));
    assert_false(rate_limit_allows(&slow, 0, 1));
    for (double t = 0; t < 1000; t += 0.25)
        written += rate_limit_allows(&p, t, 1152) ? 1152 : 0;
    assert_in_range(written, 49 * 11520, 50 * 11520);
    p.ask = true;
    assert_true(rate_limit_allows(&p, 1000, 1000000));
    assert_false(rate_limit_allows(&p, 1000, 1000000));
}

/* Never less than what is excluded. */
TEST(rates_are_rounded_up)
{
    static const struct {
        double per_hour;
        const char *says;
    } cases[] = {
        { 1234.01, "1235" }, { 720, "720" },    { 10, "10" },       { 7.101, "7.2" },
        { 3, "3.0" },        { 0.291, "0.30" }, { 0.0001, "0.01" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct excluded e = { .per_hour = cases[i].per_hour };
        char said[100], expected[100];
        struct fmt_buffer rate = fmt_buffer_make(said, sizeof(said));

        format_text_append_rate(&rate, &e);
        fmt_print(expected, sizeof(expected),
                  "errors at random times are rarer than %s an hour (95 %%)", cases[i].says);
        assert_string_equal(said, expected);
    }
}
