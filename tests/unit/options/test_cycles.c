// SPDX-License-Identifier: MIT
#include "options/cycles.h"

#include "lib/string.h"
#include "options/words.h"
#include "tests/unit/unit.h"

static const char *word_of(const struct cycles *c)
{
    static char text[CYCLES_WORD_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    cycles_append(&b, c);
    assert_false(b.cut);
    return text;
}

static void expect_result(const struct cycles *c, const char *words)
{
    char text[300];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    cycles_append_result(&b, c);
    assert_string_equal(text, words);
}

TEST(counts_starts)
{
    struct cycles c, again;
    char word[CYCLES_WORD_MAX];

    assert_true(cycles_read("20", &c));
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(cycles_left(&c), 20 - i);
        assert_true(cycles_begin(&c, 0x1234, 1000 + i));
        cycles_ran(&c, (struct cycles_result){ i % 7 ? 0 : 7, i % 7 ? 5000000 : 9000000, false },
                   1000 + i);
        assert_true(cycles_read(word_of(&c), &again));
        string_copy(word, word_of(&c), sizeof(word));
        assert_string_equal(word_of(&again), word);
        c = again;
    }
    assert_int_equal(cycles_left(&c), 0);
    assert_int_equal(c.errors, 21);
    assert_int_equal(c.moved_mb, 3 * 9 + 17 * 5);
    assert_int_equal(cycles_rate(&c).errors, 21);
    assert_int_equal(cycles_rate(&c).moved_bytes, UINT64_C(112000000));
    expect_result(&c, "errors in 3 of 20 starts (3.2 % to 37.9 % of all starts)");
}

TEST(starts_without_a_result)
{
    struct cycles c = { .wanted = 3, .id = 1 };

    cycles_ran(&c, (struct cycles_result){ 0, 5000000, false }, 1000);
    cycles_lose(&c, 2000);
    expect_result(&c, "errors in 0 of 1 start (at most 95.0 % of all starts), 3 wanted; 1 start "
                      "gave no result");
    assert_int_equal(c.asked, 2000);
    assert_int_equal(cycles_all(&c), 2);
    assert_true(cycles_follow(&c));
    cycles_lose(&c, 3000);
    assert_false(cycles_follow(&c));
    assert_false(cycles_follow(&(struct cycles){ 0 }));
    assert_false(cycles_follow(&(struct cycles){ .wanted = 3 })); /* nobody keeps their count */
}

TEST(begins_anew_with_other_memory)
{
    struct cycles c;

    assert_true(cycles_read("5", &c));
    assert_true(cycles_begin(&c, 1, 0));
    cycles_ran(&c, (struct cycles_result){ 7, 9000000, false }, 0);
    c.lost = c.late = 1;
    expect_result(&c, "errors in 1 of 1 start (at least 5.0 % of all starts), 5 wanted; 1 start "
                      "gave no result; 1 came late or not by itself");
    assert_false(cycles_begin(&c, 2, 0));
    assert_int_equal(cycles_all(&c), 2);
    assert_int_equal(cycles_left(&c), 5);
    assert_int_equal(c.errors, 0);
    expect_result(&c,
                  "errors in 0 of 0 starts, 5 wanted; 2 before, with other memory, do not count");
}

TEST(a_start_may_come_late)
{
    static const struct {
        uint64_t asked, now;
        unsigned late;
    } starts[] = { { 0, 5000, 0 },
                   { 1000, 0, 0 },
                   { 1000, 1000, 0 },
                   { 1000, 1000 + CYCLES_LATE_S, 0 },
                   { 1000, 1001 + CYCLES_LATE_S, 1 },
                   { 1000, 999, 1 } };

    for (size_t i = 0; i < COUNT(starts); i++) {
        struct cycles c = { .wanted = 3, .starts = 1, .asked = starts[i].asked };

        assert_true(cycles_begin(&c, 1, starts[i].now));
        assert_int_equal(c.late, starts[i].late);
    }
}

TEST(a_cpu_that_fails_is_an_error_of_the_start_and_none_of_memory)
{
    struct cycles c = { .wanted = 20 };

    cycles_ran(&c, (struct cycles_result){ 0, 5000000, true }, 0);
    cycles_ran(&c, (struct cycles_result){ 2, 5000000, true }, 0);
    cycles_ran(&c, (struct cycles_result){ 0, 5000000, false }, 0);
    assert_int_equal(c.starts, 3);
    assert_int_equal(c.with_errors, 2);
    assert_int_equal(c.errors, 2);
}

TEST(cold_starts)
{
    struct cycles c, again;

    assert_true(cycles_read("20/cold", &c));
    assert_true(c.cold);
    assert_true(cycles_begin(&c, 1, 0));
    cycles_ran(&c, (struct cycles_result){ 0, 0, false }, 0);
    assert_true(cycles_read(word_of(&c), &again));
    assert_true(again.cold);
    assert_int_equal(again.starts, 1);
    assert_true(cycles_read("20", &c));
    assert_false(c.cold);
    c = (struct cycles){ .wanted = 20, .starts = 20, .with_errors = 3, .cold = true };
    expect_result(&c, "errors in 3 of 20 cold starts (3.2 % to 37.9 % of all starts)");
}

TEST(other_options_for_the_next_start)
{
    static char long_one[WORD_MAX + 20];
    static const struct {
        const char *cmdline, *others; /* NULL: there is no next start */
    } lines[] = {
        { "", "" },
        { "/boot/okram.elf tests=random  cycles=20 time=1h", "tests=random time=1h " },
        { "cycles=3-1-0 \"march={any(w0); up(r0, w1)}\" passes=2",
          "march={any(w0);up(r0,w1)} passes=2 " },
        { "range='1M-2M, 4M-5M' cycles=3", NULL }, /* is wrong, and must stay so */
        { long_one, NULL },
    };

    memset(long_one, 'x', sizeof(long_one) - 1);
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[300] = "";
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        assert_int_equal(cycles_append_others(&b, lines[i].cmdline), lines[i].others != NULL);
        if (lines[i].others)
            assert_string_equal(text, lines[i].others);
    }
}

TEST(refuses_other_words)
{
    static const char *const wrong[] = { "",
                                         "x",
                                         "-",
                                         "1001",
                                         "20-",
                                         "20-1",
                                         "-20",
                                         "20x",
                                         "20/",
                                         "20/warm",
                                         "20/colder",
                                         "20 1",
                                         "0x14",
                                         "20-0-0-0-0-0-0-0-0-0-0-0",
                                         "99999999999999999999999999" };
    struct cycles c = { .wanted = 7, .starts = 3, .id = 0xffffffff, .asked = 1, .memory = 5 };
    struct cycles ret = { .wanted = 77 };
    char text[CYCLES_WORD_MAX];

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(cycles_read(wrong[i], &ret));
    string_copy(text, word_of(&c), sizeof(text));
    for (size_t i = 0; text[i]; i++) { /* each wrong character */
        char right = text[i];

        text[i] = right == '1' ? '2' : '1';
        assert_false(cycles_read(text, &ret));
        text[i] = right;
    }
    c.with_errors = 4; /* of three starts */
    assert_false(cycles_read(word_of(&c), &ret));
    assert_int_equal(ret.wanted, 77);
    assert_true(cycles_read("0", &ret));
    assert_int_equal(ret.wanted, 0);
}
