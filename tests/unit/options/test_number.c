// SPDX-License-Identifier: MIT
#include "options/number.h"

#include "tests/unit/unit.h"

struct read_case {
    const char *text;
    bool ok;
    uint64_t value;
    const char *rest;
};

static void check(bool (*read)(const char **, uint64_t *), const struct read_case *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *pos = c[i].text;
        uint64_t value = 0x5a5a;
        bool ok = read(&pos, &value);

        if (ok != c[i].ok)
            print_error("\"%s\"\n", c[i].text);
        assert_int_equal(ok, c[i].ok);
        if (ok) {
            assert_int_equal(value, c[i].value);
            assert_string_equal(pos, c[i].rest);
        } else {
            assert_int_equal(value, 0x5a5a);
            assert_ptr_equal(pos, c[i].text);
        }
    }
}

#define CHECK(read, cases) check(read, cases, sizeof(cases) / sizeof(cases[0]))

TEST(reads_digits)
{
    static const struct read_case cases[] = {
        { "0", true, 0, "" },
        { "007", true, 7, "" },
        { "12,3", true, 12, ",3" },
        { "0x1aF-", true, 0x1af, "-" },
        { "0XfF", true, 0xff, "" },
        { "12a", true, 12, "a" },
        { "0xfg", true, 0xf, "g" },
        { "18446744073709551615", true, UINT64_MAX, "" },
        { "0xffffffffffffffff", true, UINT64_MAX, "" },
        { "0x0000000000000000000001", true, 1, "" },
        { "18446744073709551616", false, 0, "" },
        { "0x10000000000000000", false, 0, "" },
        { "99999999999999999999999999", false, 0, "" },
        { "", false, 0, "" },
        { "0x", false, 0, "" },
        { "0xg", false, 0, "" },
        { "0x@", false, 0, "" }, /* just before the letters */
        { "1`", true, 1, "`" },
        { "-1", false, 0, "" },
        { "+1", false, 0, "" },
        { " 1", false, 0, "" },
        { "a", false, 0, "" },
        { "\xb1", false, 0, "" }, /* '1' with bit 7 */
    };

    CHECK(number_read, cases);
}

TEST(reads_sizes)
{
    static const struct read_case cases[] = {
        { "5", true, 5, "" },
        { "5K", true, 5 << 10, "" },
        { "5m-", true, 5 << 20, "-" },
        { "0x10G", true, UINT64_C(16) << 30, "" },
        { "3t", true, UINT64_C(3) << 40, "" },
        { "5KB", true, 5 << 10, "B" },
        { "5p", true, 5, "p" },
        { "16777215T", true, UINT64_C(16777215) << 40, "" },
        { "16777216T", false, 0, "" },
        { "0T", true, 0, "" },
        { "K", false, 0, "" },
        { "5\x0b", true, 5, "\x0b" }, /* 'k' without two of its bits */
    };

    CHECK(number_read_size, cases);
}

TEST(reads_times)
{
    static const struct read_case cases[] = {
        { "90", true, 90, "" },
        { "90s", true, 90, "" },
        { "2M", true, 120, "" },
        { "8h", true, 28800, "" },
        { "2d", true, 172800, "" },
        { "1h30m", true, 3600, "30m" },
        { "1w", true, 1, "w" },
        { "s", false, 0, "" },
        { "0", true, 0, "" },
        { "213503982334601d", true, UINT64_C(213503982334601) * 86400, "" },
        { "213503982334602d", false, 0, "" },
    };

    CHECK(number_read_time, cases);
}

TEST(parses_whole_texts)
{
    static const struct {
        const char *text;
        uint64_t min, max;
        bool ok;
        uint64_t value;
    } cases[] = {
        { "1", 1, 9, true, 1 },
        { "9", 1, 9, true, 9 },
        { "0", 1, 9, false, 0 },
        { "10", 1, 9, false, 0 },
        { "5 ", 1, 9, false, 0 },
        { "5k", 1, 9999, false, 0 },
        { "", 0, 9, false, 0 },
        { "0x9", 1, 9, true, 9 },
        { "18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t value = 77;

        assert_int_equal(number_parse(cases[i].text, cases[i].min, cases[i].max, &value),
                         cases[i].ok);
        assert_int_equal(value, cases[i].ok ? cases[i].value : 77);
    }
}
