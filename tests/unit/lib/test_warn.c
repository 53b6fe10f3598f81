// SPDX-License-Identifier: MIT
#include "lib/warn.h"

#include "firmware/fake.h"

static char last[1024];

static void keep(void *ctx, const char *text)
{
    *(int *)ctx += 1;
    snprintf(last, sizeof(last), "%s", text);
}

TEST(hands_on_the_text)
{
    int calls = 0;
    struct warnings w = { .warn = keep, .ctx = &calls };

    warn_print(&w, "%s at 0x%lx: %u%%", "table", 0x1234UL, 5u);
    assert_string_equal(last, "table at 0x1234: 5%");
    assert_int_equal(calls, 1);
}

TEST(cuts_a_long_text)
{
    int calls = 0;
    struct warnings w = { .warn = keep, .ctx = &calls };

    warn_print(&w, "%*s", WARNING_TEXT_MAX - 1, "x");
    assert_int_equal(strlen(last), WARNING_TEXT_MAX - 1);
    assert_int_equal(last[WARNING_TEXT_MAX - 2], 'x');
    warn_print(&w, "%*s", WARNING_TEXT_MAX, "x");
    assert_int_equal(strlen(last), WARNING_TEXT_MAX - 1);
    assert_int_equal(last[WARNING_TEXT_MAX - 2], ' ');
    assert_int_equal(calls, 2);
}

TEST(warns_of_what_was_counted)
{
    static const char *const text[] = { "too short", "of another version", "too many" };
    static const uint64_t count[] = { 0, 2, 1 };
    int calls = 0;
    struct warnings w = { .warn = keep, .ctx = &calls };

    warn_counts(&w, "SRAT", text, count, 2);
    assert_int_equal(calls, 1);
    assert_string_equal(last, "SRAT: of another version: 2");
    warn_counts(&w, "SRAT", text, count, 3);
    assert_int_equal(calls, 3);
    assert_string_equal(last, "SRAT: too many: 1");
}
