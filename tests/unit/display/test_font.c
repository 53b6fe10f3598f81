// SPDX-License-Identifier: MIT
#include "display/font.h"
#include "display/grid.h"
#include "tests/unit/unit.h"

struct psf2 {
    uint32_t magic, version, head_size, flags, n_glyphs, glyph_bytes, height, width;
};

/* Parses exactly size bytes, so that the address sanitizer sees any step past the end. */
static enum status parse(const void *head, size_t head_size, size_t size)
{
    uint8_t *psf = malloc(size ? size : 1);
    struct font f;
    enum status s;

    memset(psf, 0xff, size);
    memcpy(psf, head, size < head_size ? size : head_size);
    s = font_parse(psf, size, &f);
    if (s == STATUS_OK) /* the last pixel is inside */
        (void)font_pixel(&f, 255, f.width - 1, f.height - 1);
    free(psf);
    return s;
}

TEST(psf1_limits)
{
    static const struct {
        uint8_t head[4];
        size_t size;
        enum status status;
    } cases[] = {
        { { 0x36, 0x04, 2, 16 }, 4 + 256 * 16, STATUS_OK },
        { { 0x36, 0x04, 2, 16 }, 4 + 256 * 16 - 1, STATUS_INVALID },
        { { 0x36, 0x04, 3, 16 }, 4 + 512 * 16, STATUS_OK },
        { { 0x36, 0x04, 3, 16 }, 4 + 512 * 16 - 1, STATUS_INVALID },
        { { 0x36, 0x04, 2, 0 }, 4 + 256 * 16, STATUS_INVALID },
        { { 0x36, 0x04, 2, 64 }, 4 + 256 * 64, STATUS_OK },
        { { 0x36, 0x04, 2, 65 }, 4 + 256 * 65, STATUS_INVALID },
        { { 0x37, 0x04, 2, 16 }, 4 + 256 * 16, STATUS_INVALID },
        { { 0x36, 0x04, 2, 16 }, 4, STATUS_INVALID },
        { { 0x36, 0x04, 2, 16 }, 3, STATUS_INVALID },
        { { 0 }, 0, STATUS_INVALID },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(parse(cases[i].head, 4, cases[i].size), cases[i].status);
}

TEST(psf2_limits)
{
    static const struct {
        struct psf2 head;
        size_t size;
        enum status status;
    } cases[] = {
        { { 0x864ab572, 0, 32, 0, 256, 64, 32, 16 }, 32 + 256 * 64, STATUS_OK },
        { { 0x864ab572, 0, 32, 0, 256, 64, 32, 16 }, 32 + 256 * 64 - 1, STATUS_INVALID },
        { { 0x864ab572, 0, 40, 0, 256, 64, 32, 16 }, 40 + 256 * 64, STATUS_OK },
        { { 0x864ab572, 0, 40, 0, 256, 64, 32, 16 }, 40 + 256 * 64 - 1, STATUS_INVALID },
        { { 0x864ab572, 0, 31, 0, 256, 64, 32, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, UINT32_MAX, 0, 256, 64, 32, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 255, 64, 32, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, UINT32_MAX, 64, 32, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 63, 32, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 40, 20, 10 }, 32 + 256 * 40, STATUS_OK },
        { { 0x864ab572, 0, 32, 0, 256, 256, 64, 32 }, 32 + 256 * 256, STATUS_OK },
        { { 0x864ab572, 0, 32, 0, 256, 320, 64, 33 }, 32 + 256 * 320, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 260, 65, 32 }, 32 + 256 * 260, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 0, 0, 16 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 0, 32, 0 }, 32 + 256 * 64, STATUS_INVALID },
        { { 0x864ab572, 0, 32, 0, 256, 64, 32, 16 }, 31, STATUS_INVALID },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(parse(&cases[i].head, 32, cases[i].size), cases[i].status);
}

static unsigned pixels(const struct font *f, uint8_t code)
{
    unsigned n = 0;

    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++)
            n += (unsigned)font_pixel(f, code, x, y);
    return n;
}

/* The packaged fonts have the drawing characters where code page 437 has them. */
TEST(packaged_fonts_are_sound)
{
    assert_int_equal(font_files_count, 5);
    for (uint32_t i = 0; i < font_files_count; i++) {
        struct font f;
        unsigned widest = 0;

        assert_int_equal(font_parse(font_blob + font_files[i].offset, font_files[i].size, &f),
                         STATUS_OK);
        assert_int_equal(f.height, 2 * f.width);
        assert_int_equal(pixels(&f, ' '), 0);
        for (unsigned c = '!'; c <= '~'; c++)
            assert_in_range(pixels(&f, (uint8_t)c), 1, f.width * f.height / 2);
        for (uint32_t y = 0; y < f.height; y++) {
            unsigned n = 0;

            for (uint32_t x = 0; x < f.width; x++)
                n += (unsigned)font_pixel(&f, GLYPH_RULE, x, y);
            assert_true(n == 0 || n == f.width);
            widest = n > widest ? n : widest;
        }
        assert_int_equal(widest, f.width);
        assert_int_equal(pixels(&f, 0xdb), f.width * f.height);
        assert_in_range(pixels(&f, GLYPH_DOT), 1, f.width * f.height / 16);
        assert_in_range(pixels(&f, GLYPH_SQUARE), f.width * f.height / 8, f.width * f.height / 2);
    }
}
