// SPDX-License-Identifier: MIT
#include "boot/uefi/load_options.h"

#include "tests/unit/unit.h"

#define ROOM 64

static const uint16_t own_path[] = u"\\EFI\\BOOT\\okram.efi";

/* UTF-16 of ASCII, with its NUL. Returns the bytes before that. */
static size_t widen(const char *text, uint8_t *to)
{
    size_t n = strlen(text);

    for (size_t i = 0; i <= n; i++) {
        to[2 * i] = (uint8_t)text[i];
        to[2 * i + 1] = 0;
    }
    return 2 * n;
}

/* Input and output are heap blocks of their exact size. */
static void assert_text(const void *options, size_t size, const uint16_t *path, size_t room,
                        const char *want, bool whole)
{
    uint8_t *in = malloc(size ? size : 1);
    char *out = malloc(room);

    assert_non_null(in);
    assert_non_null(out);
    if (size)
        memcpy(in, options, size);
    memset(out, 0xaa, room);
    assert_int_equal(load_options_text(in, size, path, out, room), whole);
    assert_string_equal(out, want);
    free(in);
    free(out);
}

TEST(own_name_is_left_out)
{
    static const struct {
        const char *options, *want;
    } cases[] = {
        { "", "" },
        { "tests=quick", "tests=quick" },
        { "quick", "quick" },
        { "okram.efi tests=quick", "tests=quick" },
        { "okram.efi", "" },
        { "okram a=b c=d", "a=b c=d" },
        { "FS0:\\x\\OKRAM.EFI  a=b", "a=b" },
        { "/a/b/okram.efi\ta=b", "a=b" },
        { "fs0:okram", "" },
        { "fs0:\\ a=b", "fs0:\\ a=b" }, /* a path without a name */
        { "okramx a=b", "okramx a=b" },
        { "okra a=b", "okra a=b" },
        { "okram.e a=b", "okram.e a=b" },
        { "okram.efi2 a=b", "okram.efi2 a=b" },
        { " okram a=b", " okram a=b" },
        { "a=b okram.efi", "a=b okram.efi" },
        { "okram.efi okram.efi", "okram.efi" },
    };
    uint8_t options[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = widen(cases[i].options, options);

        assert_text(options, n, own_path, ROOM, cases[i].want, true);
        assert_text(options, n + 2, own_path, ROOM, cases[i].want, true);
        assert_text(options, n + 1, own_path, ROOM, cases[i].want, true); /* half a character */
        assert_text(options, n, NULL, ROOM, cases[i].options, true);
    }
}

/* From wherever the loader was started. */
TEST(own_paths)
{
    static const struct {
        const uint16_t *path;
        const char *want;
    } cases[] = {
        { u"okram.efi", "a=b" },
        { u"/okram.efi", "a=b" },
        { u"\\okram", "a=b" },
        { u"\\EFI\\BOOT\\BOOTX64.EFI", "okram a=b" },
        { u"\\okram\\x.efi", "okram a=b" },
        { u"", "okram a=b" },
        { u"\\", "okram a=b" },
        { u"\\\u043e\u043a\u0440\u0430\u043c", "okram a=b" },
        { u"\\OKRAM.EFI", "a=b" },
    };
    uint8_t options[64];
    size_t n = widen("okram a=b", options);

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text(options, n, cases[i].path, ROOM, cases[i].want, true);
    n = widen("fs0:\\ a=b", options); /* no name is not the name of a loader without one */
    assert_text(options, n, u"\\", ROOM, "fs0:\\ a=b", true);
}

TEST(ascii)
{
    assert_text("tests=quick", 11, own_path, ROOM, "tests=quick", true);
    assert_text("tests=quick", 12, own_path, ROOM, "tests=quick", true);
    assert_text("tests=quic", 10, own_path, ROOM, "tests=quic", true);
    assert_text("okram.efi a=b", 13, own_path, ROOM, "a=b", true);
    assert_text("a=", 2, own_path, ROOM, "a=", true);
    assert_text("RC", 2, own_path, ROOM, "", true);
    assert_text("quick", 5, own_path, ROOM, "", true);
    assert_text("B", 1, own_path, ROOM, "", true);
}

/* Firmware's own boot entries carry binary data. */
TEST(what_is_no_text)
{
    static const uint8_t guid[16] = { 0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                                      0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2 };
    static const struct {
        unsigned character;
        const char *want;
    } cases[] = {
        { 0x1f, "" }, { ' ', "a= b" }, { '~', "a=~b" }, { 0x7f, "" },
        { 0x80, "" }, { 0x13d, "" },   { 0x2020, "" },  { '\t', "a=\tb" },
        { '\n', "" }, { 0xffff, "" },  { 0, "a=" },
    };
    uint8_t options[64];

    assert_text(NULL, 0, own_path, ROOM, "", true);
    assert_text(NULL, 0, NULL, 1, "", true);
    assert_text(guid, sizeof(guid), own_path, ROOM, "", true);
    assert_text("\0", 1, own_path, ROOM, "", true);
    assert_text("RC\0", 4, own_path, ROOM, "", true);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = widen("a=?b", options);

        options[4] = (uint8_t)cases[i].character;
        options[5] = (uint8_t)(cases[i].character >> 8);
        assert_text(options, n, own_path, ROOM, cases[i].want, true);
    }
}

TEST(cut_text)
{
    uint8_t options[128];
    char many[49];
    size_t n = widen("a=34567", options);

    assert_text(options, n, own_path, 8, "a=34567", true);
    assert_text(options, n, own_path, 7, "a=3456", false);
    assert_text(options, n, own_path, 1, "", false);
    assert_text("a=34567", 7, own_path, 8, "a=34567", true);
    assert_text("a=34567", 7, own_path, 7, "a=3456", false);
    n = widen("okram a=b", options);
    assert_text(options, n, own_path, 9, "a=", false);

    /* What is not taken at all has not been cut. */
    n = widen("a=34567\x01", options);
    assert_text(options, n, own_path, 4, "", true);
    memset(many, 'x', sizeof(many));
    assert_text(many, sizeof(many), own_path, 16, "", true);
}

TEST(random_options)
{
    srand(5);
    for (int round = 0; round < 50000; round++) {
        size_t size = (size_t)rand() % 40, room = 1 + (size_t)rand() % 16;
        uint8_t *in = malloc(size ? size : 1);
        char *out = malloc(room);

        for (size_t i = 0; i < size; i++)
            in[i] = (uint8_t)(rand() % 3   ? "okram.efi=\\ A~"[rand() % 14]
                              : rand() % 2 ? 0
                                           : rand());
        load_options_text(in, size, rand() % 4 ? own_path : NULL, out, room);
        assert_true(strnlen(out, room) < room);
        for (const char *p = out; *p; p++)
            assert_true((*p >= ' ' && *p <= '~') || *p == '\t');
        free(in);
        free(out);
    }
}
