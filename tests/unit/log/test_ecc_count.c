// SPDX-License-Identifier: MIT
#include "log/ecc_count.h"

#include "tests/unit/unit.h"
/* cmocka wants those before. */

static struct ecc_count c;

static int none_yet(void **state)
{
    memset(&c, 0, sizeof(c));
    return 0;
}

static void add(uint64_t count, bool corrected, bool has_page, const char *channel)
{
    ecc_count_add(&c, &(struct ecc_error){ count, corrected, has_page, channel });
}

TEST(sums, none_yet)
{
    add(5, true, false, "");
    add(1, true, true, "");
    add(2, false, true, "");
    add(1, false, false, "");
    assert_int_equal(c.corrected, 6);
    assert_int_equal(c.uncorrected, 3);
    assert_int_equal(c.with_page, 3);
    assert_int_equal(c.n_channels, 0);
}

TEST(channels, none_yet)
{
    add(1, true, false, "node 0, UMC 1");
    add(2, true, false, "node 1, UMC 1");
    add(4, false, false, "node 0, UMC 1");
    assert_int_equal(c.n_channels, 2);
    assert_string_equal(c.channel[0].name, "node 0, UMC 1");
    assert_int_equal(c.channel[0].corrected, 1);
    assert_int_equal(c.channel[0].uncorrected, 4);
    assert_int_equal(c.channel[1].corrected, 2);
    assert_int_equal(c.channel[1].uncorrected, 0);
}

TEST(more_channels_than_there_is_room_for, none_yet)
{
    char name[32];

    for (unsigned i = 0; i < ECC_CHANNELS_MAX + 3; i++) {
        snprintf(name, sizeof(name), "node 0, UMC %u", i);
        add(1, true, false, name);
    }
    assert_int_equal(c.n_channels, ECC_CHANNELS_MAX);
    assert_int_equal(c.corrected, ECC_CHANNELS_MAX + 3);
    add(1, true, false, "node 0, UMC 0");
    assert_int_equal(c.channel[0].corrected, 2);
}

TEST(sums_do_not_wrap, none_yet)
{
    add(UINT64_MAX - 1, true, true, "a");
    add(1, true, true, "a");
    assert_int_equal(c.corrected, UINT64_MAX);
    add(7, true, true, "a");
    assert_int_equal(c.corrected, UINT64_MAX);
    assert_int_equal(c.with_page, UINT64_MAX);
    assert_int_equal(c.channel[0].corrected, UINT64_MAX);
}

/* Errors of a page that was found later. */
TEST(pages_that_are_found, none_yet)
{
    add(5, true, false, "");
    ecc_count_find_page(&c, 3);
    assert_int_equal(c.corrected, 5);
    assert_int_equal(c.with_page, 3);
    ecc_count_find_page(&c, 3); /* no more than there are */
    assert_int_equal(c.with_page, 5);
    add(UINT64_MAX, false, false, "");
    ecc_count_find_page(&c, UINT64_MAX);
    assert_int_equal(c.with_page, UINT64_MAX);
}

TEST(in_words)
{
    static const struct {
        uint64_t corrected, uncorrected, with_page, pages;
        const char *text;
    } cases[] = {
        { 43, 0, 43, 1, "ECC corrected 43 errors in 1 page" },
        { 1, 0, 1, 1, "ECC corrected 1 error in 1 page" },
        { 5, 0, 0, 0, "ECC corrected 5 errors" },
        { 5, 0, 3, 2, "ECC corrected 5 errors (3 of them in 2 pages)" },
        { 0, 1, 1, 1, "ECC could not correct 1 error in 1 page" },
        { 1, 2, 3, 2, "ECC corrected 1 error, and could not correct 2 in 2 pages" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[100];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        ecc_append_errors(cases[i].corrected, cases[i].uncorrected, cases[i].with_page,
                          cases[i].pages, &b);
        assert_string_equal(text, cases[i].text);
    }
}
