// SPDX-License-Identifier: MIT
#include "options/words.c"

#include "tests/unit/unit.h"

TEST(splits)
{
    static const struct {
        const char *text;
        const char *words[4];
    } cases[] = {
        { "", { NULL } },
        { " \t\r\n ", { NULL } },
        { "a", { "a" } },
        { "  a=1\tb=2\r\nc=3\n", { "a=1", "b=2", "c=3" } },
        { "# a comment a=1", { NULL } },
        { "# a comment\na=1 # another\nb=2", { "a=1", "b=2" } },
        { "a=1#2 b", { "a=1#2", "b" } }, /* only where a word begins */
        { "#\n#\n\n#", { NULL } },
        { "a=\"x y\" b", { "a=x y", "b" } },
        { "\"a=x y\" b", { "a=x y", "b" } }, /* as GRUB quotes */
        { "a='x \"y' b", { "a=x \"y", "b" } },
        { "a=\"\" b", { "a=", "b" } },
        { "a=\"#\"x", { "a=#x" } },
        { "\"\" a", { "", "a" } },
        { "a=\xc3\xbc\x7f z", { "a=???", "z" } },
        { "a=\"\t\"", { "a=?" } },
        { "a=!~", { "a=!~" } },
        { "\xef\xbb\xbf# so\n\xef\xbb\xbfx=1 \xef\xbb\xbf", { "x=1" } },
        { "\xef\xbb", { "??" } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *pos = cases[i].text;
        struct word w;

        for (size_t n = 0; cases[i].words[n]; n++) {
            assert_true(word_next(&pos, &w));
            assert_string_equal(w.text, cases[i].words[n]);
            assert_false(w.too_long);
            assert_false(w.unclosed);
        }
        assert_false(word_next(&pos, &w));
        assert_int_equal(*pos, 0);
    }
}

TEST(says_where_a_word_begins)
{
    static const char text[] = " # a\r\n\t'b' # c";

    assert_string_equal(word_begin(text), "'b' # c");
    assert_string_equal(word_begin("b"), "b");
    assert_string_equal(word_begin(" # c"), "");
    assert_string_equal(word_begin(""), "");
}

TEST(ends_an_open_quote_with_its_line)
{
    const char *pos = "a=\"x y\nb=1 c='";
    struct word w;

    assert_true(word_next(&pos, &w));
    assert_string_equal(w.text, "a=x y");
    assert_true(w.unclosed);
    assert_true(word_next(&pos, &w));
    assert_string_equal(w.text, "b=1");
    assert_false(w.unclosed);
    assert_true(word_next(&pos, &w));
    assert_string_equal(w.text, "c=");
    assert_true(w.unclosed);
    assert_false(word_next(&pos, &w));
}

TEST(marks_a_word_that_is_too_long)
{
    for (size_t length = WORD_MAX - 2; length <= WORD_MAX + 1; length++) {
        char text[WORD_MAX + 16];
        const char *pos = text;
        struct word w;

        memset(text, 'x', length);
        strcpy(text + length, " b");
        assert_true(word_next(&pos, &w));
        assert_int_equal(w.too_long, length >= WORD_MAX);
        assert_int_equal(strlen(w.text), length < WORD_MAX ? length : WORD_MAX - 1);
        assert_true(word_next(&pos, &w));
        assert_string_equal(w.text, "b");
        assert_false(w.too_long);
    }
}

TEST(knows_paths)
{
    static const char *const paths[] = {
        "/boot/okram.elf",
        "\\EFI\\BOOT\\BOOTX64.EFI",
        "okram.efi",
        "OKRAM.EFI",
        "BOOT_IMAGE=/x",
        "(hd0,gpt1)/boot/okram",
        "FS0:a.efi",
        "FS0:\\okram.efi",
        "/dir with=sign/okram",
        "okram.elf",
        ".efi",
    };
    static const char *const others[] = {
        "",    "a",          "tests=quick", "a=/x",       "a=\\x", "a=okram.efi",
        "efi", "okram.efix", "quiet",       "BOOT_IMAGE",
    };

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_true(word_is_path(paths[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(word_is_path(others[i]));
}

TEST(knows_words_for_linux)
{
    static const char *const words[] = {
        "BOOT_IMAGE=okram.lkrn",
        "BOOTIF=01-52",
        "initrd=/a b",
        "ip=",
        "quiet",
        "quiet b",
        "ro",
        "vga=791",
        "root=UUID=1",
        "SYSUUID=1",
        "CPU=6PVXL",
        "console=ttyS0,115200 b",
        "crashkernel=1",
    };
    static const char *const others[] = {
        "",    " ",          "=",     "=1",          "quie",   "quiets", "quiet=1", "root",
        "i=1", "BOOT_IMAGE", "Quiet", "tests=quick", "xquiet", "mem=1G", "ip",      "rootx=1",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_true(word_is_for_linux(words[i], WORD_MAX));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(word_is_for_linux(others[i], WORD_MAX));
    assert_true(word_is_for_linux("quietly", 5));
    assert_false(word_is_for_linux("quiet", 4));
    assert_false(word_is_for_linux("ip=1", 2));
}

/* Any bytes: every word is printable and the walk ends. */
TEST(survives_any_bytes)
{
    uint32_t random = 1;

    for (int round = 0; round < 20000; round++) {
        size_t length = (size_t)round % 40;
        char *text = malloc(length + 1);
        const char *pos = text;
        size_t words = 0;
        struct word w;

        for (size_t i = 0; i < length; i++) {
            static const char often[] = " \n\"'#=\\/a.";

            random = random * 1664525 + 1013904223;
            text[i] = random >> 31 ? often[(random >> 16) % 10] : (char)(random >> 20 | 1);
        }
        text[length] = 0;
        while (word_next(&pos, &w)) {
            for (const char *p = w.text; *p; p++)
                assert_in_range(*p, ' ', '~');
            word_is_path(w.text);
            word_is_for_linux(w.text, sizeof(w.text));
            assert_true(++words <= length);
        }
        assert_ptr_equal(pos, text + strlen(text));
        free(text);
    }
}

#define BYTES(text) text, sizeof(text) - 1

TEST(turns_utf16_into_ascii)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } cases[] = {
        { BYTES("tests=quick\r\n"), "tests=quick\r\n" }, /* no UTF-16 */
        { BYTES("\xef\xbb\xbf"
                "a=b"),
          "\xef\xbb\xbf"
          "a=b" },
        { BYTES("\xff\xfe"
                "a\0=\0b\0\n\0"),
          "a=b\n" },
        { BYTES("\xfe\xff"
                "\0a\0=\0b\0\n"),
          "a=b\n" },
        { BYTES("a\0=\0b\0"), "a=b" }, /* without a mark */
        { BYTES("\0a\0=\0b"), "a=b" },
        { BYTES("\xff\xfe"
                "#\0\xe4\0\xac\x20\x3d\xd8\x00\xde\n\0"),
          "#???\n" },
        { BYTES("\xff\xfe"
                "a\0=\0b"),
          "a=" }, /* half a character */
        { BYTES("\xff\xfe"), "" },
        { BYTES("\xff"), "\xff" },
        { BYTES("a"), "a" },
        { BYTES(""), "" },
        { BYTES("\xe4"
                "b=c"),
          "\xe4"
          "b=c" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        size_t n;

        memset(text, 'x', sizeof(text));
        memcpy(text, cases[i].bytes, cases[i].n);
        n = conf_text_make(text, cases[i].n);
        assert_int_equal(n, strlen(cases[i].text));
        assert_memory_equal(text, cases[i].text, n);
        assert_int_equal(text[cases[i].n], 'x');
    }
}

static const struct {
    const char *conf, *words, *edited;
} edits_of[] = {
    { "", "", "" },
    { "", "tests=quick", "tests=quick\n" },
    { "", "tests=quick passes=0", "tests=quick\npasses=0\n" },
    { "tests=thorough\n", "tests=quick", "tests=quick\n" },
    { "tests=thorough", "passes=2", "tests=thorough\npasses=2\n" },
    /* Comments and unknown words stay. */
    { "# tests=quick\ncolour=blue  tests=thorough # why\n", "tests=quick",
      "# tests=quick\ncolour=blue  tests=quick # why\n" },
    { "# only this", "tests=quick", "# only this\ntests=quick\n" },
    /* Later words win: here, and in the file. */
    { "passes=1\npasses=2 passes=3\nx=1", "passes=4 passes=5", "passes=5\n \nx=1" },
    /* A key that begins or ends alike is another one. */
    { "bandwidth.runs=9 xbandwidth=off bandwidth=off", "bandwidth=full",
      "bandwidth.runs=9 xbandwidth=off bandwidth=full" },
    { "tests =quick", "tests=quick", "tests =quick\ntests=quick\n" },
    /* Quotes. */
    { "\"range=0-4G\" march='{any(w0); up(r0)}'\n", "range=all",
      "range=all march='{any(w0); up(r0)}'\n" },
    { "range=\"0-4G\nnodes=1\n", "range=all", "range=all\nnodes=1\n" },
    /* As Windows' editors write it. */
    { "\xef\xbb\xbftests=quick\r\n", "tests=standard nodes=0",
      "\xef\xbb\xbftests=standard\r\nnodes=0\r\n" },
    { "\xef\xbb\xbf# so\r\nx", "nodes=0", "\xef\xbb\xbf# so\r\nx\r\nnodes=0\r\n" },
};

TEST(conf_edits)
{
    for (size_t i = 0; i < sizeof(edits_of) / sizeof(edits_of[0]); i++) {
        char out[256];

        assert_true(conf_edit(edits_of[i].conf, edits_of[i].words, out, sizeof(out)));
        assert_string_equal(out, edits_of[i].edited);
    }
}

TEST(conf_edit_says_when_it_does_not_fit)
{
    for (size_t i = 0; i < sizeof(edits_of) / sizeof(edits_of[0]); i++) {
        size_t needed = strlen(edits_of[i].edited) + 1;
        char *out = malloc(needed);

        for (size_t size = 1; size < needed; size++)
            assert_false(conf_edit(edits_of[i].conf, edits_of[i].words, out, size));
        free(out);
    }
}

/* Nothing after `out` is written, whatever the room. */
TEST(conf_edit_stays_inside)
{
    for (size_t i = 0; i < sizeof(edits_of) / sizeof(edits_of[0]); i++) {
        for (size_t size = 1; size < 100; size++) {
            char *out = malloc(size);

            if (conf_edit(edits_of[i].conf, edits_of[i].words, out, size))
                assert_string_equal(out, edits_of[i].edited);
            free(out);
        }
    }
}
