// SPDX-License-Identifier: MIT
#include "guardlist/guard_options.h"

#include "tests/unit/unit.h"

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static const struct {
    const char *text;
    unsigned patrol_s;
    bool is_quiet;
    const char *wrong;
} texts[] = {
    { "", 0, false, "" },
    { "patrol=5", 5, false, "" },
    { "patrol=5s quiet=on", 5, true, "" },
    { "patrol=0", 0, false, "" },
    { "patrol=240", 240, false, "" },
    { "patrol=4m", 240, false, "" },
    { "patrol=241", 0, false, "patrol=241" },
    { "patrol=10 patrol=5m", 10, false, "patrol=5m" },
    { "patrol=10 patrol=", 10, false, "patrol=" },
    { "patrol=-1", 0, false, "patrol=-1" },
    { "patrol=99999999999999999999", 0, false, "patrol=99999999999999999999" },
    { "patrol=5x", 0, false, "patrol=5x" },
    { "patrol=\"5\"", 5, false, "" },
    { "patrol=\"5", 0, false, "patrol=5" },
    { "patrol", 0, false, "patrol" },
    { "quiet=on quiet=off", 0, false, "" },
    { "quiet=yes patrol=3", 3, false, "quiet=yes" },
    { "\\EFI\\okram\\okram-guardx64.efi patrol=3", 3, false, "" },
    { "okram-guardx64.efi", 0, false, "" },
    { "# patrol=3\n quiet=on # no more", 0, true, "" },
    { LONG, 0, false, "01234567890123456789012345678901234567890123..." },
};

TEST(reads_runs)
{
    struct guard_options options = guard_options_default();

    guard_options_read("runs=0", &options);
    assert_string_equal(options.wrong, "runs=0");
    guard_options_read("runs=many", &options);
    assert_int_equal(options.limits.max_runs, GUARD_RUNS_DEFAULT);
    guard_options_read("runs=60 patrol=5", &options);
    assert_int_equal(options.limits.max_runs, 60);
}

TEST(read_texts)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct guard_options options = { 0 };

        guard_options_read(texts[i].text, &options);
        assert_int_equal(options.patrol_s, texts[i].patrol_s);
        assert_int_equal(options.is_quiet, texts[i].is_quiet);
        assert_string_equal(options.wrong, texts[i].wrong);
    }
}

TEST(later_texts_win)
{
    struct guard_options options = { 0 };

    guard_options_read("patrol=5 quiet=on", &options);
    guard_options_read("patrol=9 wrong", &options);
    guard_options_read("", &options);
    assert_int_equal(options.patrol_s, 9);
    assert_true(options.is_quiet);
    assert_string_equal(options.wrong, "wrong");
}

/* Whoever writes load options hides nothing by them, and takes no more memory. */
TEST(distrusts)
{
    static const struct {
        const char *text;
        bool is_ignored;
    } cases[] = {
        { "", false },           { "patrol=5", false },         { "runs=1", true },
        { "runs=100000", true }, { "quiet=on patrol=5", true }, { "quiet=on quiet=off", false }
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_options options = guard_options_default(), plain = options;

        guard_options_read(cases[i].text, &options);
        assert_int_equal(guard_options_distrust(&options), cases[i].is_ignored);
        assert_int_equal(options.limits.max_runs, GUARD_RUNS_DEFAULT);
        assert_true(options.limits.good_eighths < plain.limits.good_eighths);
        assert_false(options.is_quiet);
        assert_int_equal(options.patrol_s, i == 1 || i == 4 ? 5 : 0);
    }
}
