// SPDX-License-Identifier: MIT
#include "lib/fmt.h"

#include <limits.h>

#include "tests/unit/unit.h"

/* The same text and length as the C library's. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char ours[256], theirs[256];                                                               \
        int n = snprintf(theirs, sizeof(theirs), __VA_ARGS__);                                     \
                                                                                                   \
        assert_int_equal(fmt_print(ours, sizeof(ours), __VA_ARGS__), n);                           \
        assert_string_equal(ours, theirs);                                                         \
    } while (0)

TEST(prints_text)
{
    SAME("%s", "");
    SAME("plain");
    SAME("%s and %s", "one", "two");
    SAME("[%5s] [%-5s] [%2s]", "abc", "abc", "abc");
    SAME("[%.2s] [%5.2s] [%-5.2s] [%.0s]", "abc", "abc", "abc", "abc");
    SAME("[%.*s] [%*s]", 2, "abc", 5, "abc");
    SAME("[%c] [%3c] [%-3c]", 'x', 'y', 'z');
    SAME("100%% %s%%", "x");
    SAME("%.3s", (const char[]){ 'a', 'b', 'c' }); /* not terminated */
}

TEST(prints_integers)
{
    static const int ints[] = { 0, 1, -1, 9, 10, 12345, INT_MAX, INT_MIN };
    static const long longs[] = { 0, -1, LONG_MAX, LONG_MIN };

    for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        SAME("%d %i", ints[i], ints[i]);
        SAME("%u %x %X", (unsigned)ints[i], (unsigned)ints[i], (unsigned)ints[i]);
        SAME("[%12d] [%-12d] [%012d] [%3d]", ints[i], ints[i], ints[i], ints[i]);
        SAME("[%.5d] [%9.5d] [%-9.5d]", ints[i], ints[i], ints[i]);
        SAME("[%08x] [%8x] [%-8x] [%.8x]", (unsigned)ints[i], (unsigned)ints[i], (unsigned)ints[i],
             (unsigned)ints[i]);
        SAME("[%*d] [%.*d]", 7, ints[i], 7, ints[i]);
    }
    for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++) {
        SAME("%ld %lu %lx %lX", longs[i], (unsigned long)longs[i], (unsigned long)longs[i],
             (unsigned long)longs[i]);
        SAME("%lld %llu %zu", (long long)longs[i], (unsigned long long)longs[i], (size_t)longs[i]);
        SAME("0x%016lx", (unsigned long)longs[i]);
    }
    SAME("%p", (void *)0x1234);
}

TEST(prints_floats)
{
    static const double values[] = { 0,     1,          -1,    0.5,  1.375,         3.14159265,
                                     -2.75, 99.999,     0.001, 1e9,  123456789.123, 0.99999,
                                     9.5,   1e14 + 0.5, 1e15,  -1e15 };

    char half[16];

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        SAME("%f", values[i]);
        SAME("%.1f %.2f %.3f", values[i], values[i], values[i]);
        SAME("[%24.3f] [%-24.3f] [%024.3f]", values[i], values[i], values[i]);
    }
    SAME("%.9f", 0.123456789);
    SAME("%.0f %.0f", 2.0, 1e12);
    SAME("%.1f", 0.96); /* carries into the whole part */
    assert_int_equal(fmt_print(half, sizeof(half), "%.1f %.1f", 1.25, -1.25), 8);
    assert_string_equal(half, "1.3 -1.3"); /* a half goes up: not to even, as in the C library */
}

TEST(prints_what_is_no_number)
{
    char text[64];

    fmt_print(text, sizeof(text), "[%f] [%f] [%f]", __builtin_nan(""), __builtin_inf(),
              -__builtin_inf());
    assert_string_equal(text, "[nan] [inf] [-inf]");
    fmt_print(text, sizeof(text), "[%6f] [%-6f] [%06.1f]", __builtin_nan(""), 2e15, -2e15);
    assert_string_equal(text, "[   nan] [inf   ] [  -inf]");
}

/* Every size of buffer, in a block of its exact size: never past it, always terminated. */
TEST(keeps_within_its_buffer)
{
    static const char whole[] = "a 0x00000012 bc  3.5";

    for (size_t size = 0; size <= sizeof(whole) + 2; size++) {
        char *text = malloc(size ? size : 1);

        *text = 'q';
        assert_int_equal(fmt_print(text, size, "%s 0x%08x %-3s %.1f", "a", 0x12, "bc", 3.5),
                         sizeof(whole) - 1);
        if (size) {
            size_t kept = size < sizeof(whole) ? size - 1 : sizeof(whole) - 1;

            assert_int_equal(strlen(text), kept);
            assert_memory_equal(text, whole, kept);
        } else {
            assert_int_equal(*text, 'q');
        }
        free(text);
    }
    assert_int_equal(fmt_print(NULL, 0, "%s", "abc"), 3);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wformat-overflow"
#endif
#pragma GCC diagnostic ignored "-Wformat-security"
TEST(shows_a_wrong_format)
{
    static const char *const cut_off[] = { "%", "%5", "%-", "%0", "%l", "%ll", "%.", "%5.3", "a%" };
    char text[64];

    for (size_t i = 0; i < sizeof(cut_off) / sizeof(cut_off[0]); i++) {
        char *format = strdup(cut_off[i]); /* a heap block: ASan sees a read past its end */

        fmt_print(text, sizeof(text), format);
        assert_non_null(strchr(text, '%'));
        free(format);
    }
    fmt_print(text, sizeof(text), "[%q] %d", 5);
    assert_string_equal(text, "[%q] 5");
    fmt_print(text, sizeof(text), "[%08.3d]", 5); /* a precision overrides the flag */
    assert_string_equal(text, "[     005]");
    fmt_print(text, sizeof(text), "%s", (const char *)NULL);
    assert_string_equal(text, "(null)");
}
#pragma GCC diagnostic pop

TEST(appends)
{
    char text[8];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    assert_string_equal(text, "");
    fmt_append(&b, "%s", "abc");
    fmt_append(&b, "%d", 12);
    assert_string_equal(text, "abc12");
    assert_int_equal(b.length, 5);
    fmt_append(&b, "%s", "de"); /* fits exactly */
    assert_string_equal(text, "abc12de");
    assert_false(b.cut);
    fmt_append(&b, "%s", "");
    assert_false(b.cut);
    fmt_append(&b, "%s", "f");
    assert_true(b.cut);
    assert_string_equal(text, "abc12de");
    assert_int_equal(b.length, 7);
    fmt_append(&b, "%s", "gh");
    assert_string_equal(text, "abc12de");

    b = fmt_buffer_make(NULL, 0);
    fmt_append(&b, "x");
    assert_true(b.cut);
    assert_int_equal(b.length, 0);
}

TEST(appends_sizes)
{
    static const struct {
        unsigned long long bytes;
        const char *text;
    } sizes[] = {
        { 0, "0 B" },
        { 1, "1 B" },
        { 1023, "1023 B" },
        { 1024, "1 KiB" },
        { 1536, "1.5 KiB" },
        { 768 << 10, "768 KiB" },
        { 512 << 20, "512 MiB" },
        { 1536 << 20, "1.5 GiB" },
        { (100ULL << 30) + 1, "100 GiB" },
        { 1ULL << 40, "1 TiB" },
        { 1ULL << 50, "1 PiB" },
        { 1ULL << 60, "1 EiB" },
        { UINT64_MAX, "16.0 EiB" },
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char text[32];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        fmt_append_size(&b, sizes[i].bytes);
        assert_string_equal(text, sizes[i].text);
    }
}

TEST(appends_json)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        { "", "" },
        { "plain text ~", "plain text ~" },
        { "say \"x\" \\", "say \\\"x\\\" \\\\" },
        { "a\nb\tc\x01", "a\\u000ab\\u0009c\\u0001" },
        { "\x1f \x7f\x80\xff", "\\u001f \\u007f\\u0080\\u00ff" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        fmt_append_json(&b, cases[i].text);
        assert_string_equal(text, cases[i].json);
    }
}

struct sent {
    char text[100];
    size_t n, pieces;
};

static void take(void *ctx, const char *text, size_t n)
{
    struct sent *s = ctx;

    memcpy(s->text + s->n, text, n);
    s->n += n;
    s->pieces++;
}

/* Whatever the buffer holds, all comes, and nothing twice. */
TEST(streams_are_of_any_length)
{
    static const char text[] = "a text that is longer than each buffer, 12345";

    for (size_t size = 2; size < sizeof(text) + 2; size++) {
        struct sent sent = { .n = 0 };
        char buffer[60];
        struct fmt_buffer b = fmt_stream_make(buffer, size, (struct writer){ take, &sent });

        fmt_append(&b, "a text that is %s than each buffer, %d", "longer", 12345);
        fmt_flush(&b);
        assert_string_equal(sent.text, text);
        assert_false(b.cut);
        assert_in_range(sent.pieces, (strlen(text) + size - 2) / (size - 1), strlen(text));
        sent.pieces = 0;
        fmt_flush(&b);
        assert_int_equal(sent.pieces, 0);
        fmt_write(b.to, " and more");
        assert_string_equal(sent.text + strlen(text), " and more");
        assert_int_equal(sent.pieces, 1);
    }
}
