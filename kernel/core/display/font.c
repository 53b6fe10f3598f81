// SPDX-License-Identifier: MIT
#include "display/font.h"

#include "lib/string.h"

#define PSF1_MAGIC    0x0436
#define PSF1_512      1
#define PSF2_MAGIC    0x864ab572
#define GLYPHS_NEEDED 256 /* one for every cell code */

struct psf1_head {
    uint16_t magic;
    uint8_t mode;
    uint8_t height; /* which is a glyph's bytes too: it is 8 pixels wide */
};
_Static_assert(sizeof(struct psf1_head) == 4, "PSF 1");

struct psf2_head {
    uint32_t magic, version, head_size, flags;
    uint32_t n_glyphs, glyph_bytes, height, width;
};
_Static_assert(sizeof(struct psf2_head) == 32, "PSF 2");

static enum status parse_psf1(const uint8_t *psf, size_t size, struct font *ret_font)
{
    struct psf1_head h;
    size_t n_glyphs;

    memcpy(&h, psf, sizeof(h));
    n_glyphs = h.mode & PSF1_512 ? 512 : 256;
    if (h.height == 0 || h.height > FONT_HEIGHT_MAX || n_glyphs * h.height > size - sizeof(h))
        return STATUS_INVALID;
    *ret_font = (struct font){ .width = 8,
                               .height = h.height,
                               .row_bytes = 1,
                               .glyph_bytes = h.height,
                               .glyphs = psf + sizeof(h) };
    return STATUS_OK;
}

static enum status parse_psf2(const uint8_t *psf, size_t size, struct font *ret_font)
{
    struct psf2_head h;
    uint32_t row_bytes;

    memcpy(&h, psf, sizeof(h));
    if (h.width == 0 || h.width > FONT_WIDTH_MAX || h.height == 0 || h.height > FONT_HEIGHT_MAX)
        return STATUS_INVALID;
    row_bytes = (h.width + 7) / 8;
    if (h.glyph_bytes != row_bytes * h.height || h.n_glyphs < GLYPHS_NEEDED ||
        h.head_size < sizeof(h) || h.head_size > size ||
        (uint64_t)h.n_glyphs * h.glyph_bytes > size - h.head_size)
        return STATUS_INVALID;
    *ret_font = (struct font){ .width = h.width,
                               .height = h.height,
                               .row_bytes = row_bytes,
                               .glyph_bytes = h.glyph_bytes,
                               .glyphs = psf + h.head_size };
    return STATUS_OK;
}

enum status font_parse(const void *psf, size_t size, struct font *ret_font)
{
    const uint8_t *bytes = psf;
    uint32_t magic2 = PSF2_MAGIC;
    uint16_t magic1 = PSF1_MAGIC;

    if (size >= sizeof(struct psf2_head) && memcmp(bytes, &magic2, sizeof(magic2)) == 0)
        return parse_psf2(bytes, size, ret_font);
    if (size >= sizeof(struct psf1_head) && memcmp(bytes, &magic1, sizeof(magic1)) == 0)
        return parse_psf1(bytes, size, ret_font);
    return STATUS_INVALID;
}
