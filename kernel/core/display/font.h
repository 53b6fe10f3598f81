// SPDX-License-Identifier: MIT
/* Console fonts in the PC Screen Font formats, PSF 1 and 2, as Linux's console uses them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define FONT_WIDTH_MAX  32
#define FONT_HEIGHT_MAX 64

struct font {
    uint32_t width, height; /* pixels */
    uint32_t row_bytes, glyph_bytes;
    const uint8_t *glyphs; /* 256 at least; a row's leftmost pixel is its first byte's bit 7 */
};

/* Finds the glyphs. STATUS_INVALID when it is not a PSF, is cut short, or has fewer than 256
 * glyphs.
 */
enum status font_parse(const void *psf, size_t size, struct font *ret_font);

/* Whether a pixel of a glyph is set. */
static inline int font_pixel(const struct font *f, uint8_t code, uint32_t x, uint32_t y)
{
    return f->glyphs[code * f->glyph_bytes + y * f->row_bytes + x / 8] >> (7 - x % 8) & 1;
}

/* The fonts inside the kernel (font_data.asm), smallest first. */
struct font_file {
    uint32_t offset; /* into font_blob */
    uint32_t size;
};

extern const uint8_t font_blob[];
extern const struct font_file font_files[];
extern const uint32_t font_files_count;
