// SPDX-License-Identifier: MIT
#include "display/framebuffer.h"

#include "lib/minmax.h"
#include "lib/string.h"

#define SCALE_MAX 8
_Static_assert(FONT_HEIGHT_MAX >= FONT_WIDTH_MAX, "rows of pixels are as long as cells are high");

#define WIDE_COLUMNS  120
#define READABLE_ROWS 44

/* An 8-bit channel at its mask's place, scaled to the mask's width. */
static uint32_t channel(uint32_t mask, uint32_t value)
{
    unsigned shift = (unsigned)__builtin_ctz(mask);

    return (uint32_t)((uint64_t)(mask >> shift) * value / 255) << shift;
}

static bool is_mask_of(uint32_t mask, uint32_t bits_per_pixel)
{
    uint32_t low;

    if (!mask || (bits_per_pixel < 32 && mask >> bits_per_pixel))
        return false;
    low = mask >> __builtin_ctz(mask);
    return (low & (low + 1)) == 0;
}

static enum status check_mode(const struct boot_framebuffer *m)
{
    uint32_t bits = m->bits_per_pixel;

    if (bits != 16 && bits != 24 && bits != 32)
        return STATUS_UNSUPPORTED;
    if (!is_mask_of(m->red_mask, bits) || !is_mask_of(m->green_mask, bits) ||
        !is_mask_of(m->blue_mask, bits))
        return STATUS_INVALID;
    if (m->pitch < (uint64_t)m->width * bits / 8)
        return STATUS_INVALID;
    return STATUS_OK;
}

bool framebuffer_is_possible(const struct boot_framebuffer *mode, uint64_t limit)
{
    uint64_t bytes = (uint64_t)mode->pitch * mode->height;

    return bytes <= FRAMEBUFFER_BYTES_MAX && mode->base < limit && bytes <= limit - mode->base;
}

bool framebuffer_is_in_memory(const struct boot_framebuffer *mode, const struct memory_map *map)
{
    const struct span pixels = { mode->base, (uint64_t)mode->pitch * mode->height };

    for (size_t i = 0; i < map->n_regions; i++) {
        switch (map->region[i].kind) {
        case BOOT_REGION_USABLE:
        case BOOT_REGION_ACPI_RECLAIM:
        case BOOT_REGION_PERSISTENT:
        case BOOT_REGION_SPECIFIC:
        case BOOT_REGION_UNACCEPTED:
            if (span_intersect(map->region[i].span, pixels).size)
                return true;
        default: break;
        }
    }
    return false;
}

static bool is_on_its_side(const struct framebuffer *f)
{
    return f->turn == FRAMEBUFFER_TURN_90 || f->turn == FRAMEBUFFER_TURN_270;
}

/* Cells of one size on this screen. */
struct cells {
    struct font font;
    uint32_t scale, columns, rows;
};

/* STATUS_UNSUPPORTED: fewer than every page fits in. */
static enum status count_cells(const struct framebuffer *f, struct cells *c)
{
    c->columns = (uint32_t)min_u64(f->width / (c->font.width * c->scale), GRID_COLUMNS_MAX);
    c->rows = f->height / (c->font.height * c->scale);
    if (c->columns < GRID_COLUMNS_MIN || c->rows < GRID_ROWS_MIN)
        return STATUS_UNSUPPORTED;
    c->rows = (uint32_t)min_u64(c->rows, GRID_CELLS_MAX / c->columns);
    return STATUS_OK;
}

static bool is_wide(const struct framebuffer *f, const struct cells *c)
{
    return c->columns >= WIDE_COLUMNS && c->font.height * c->scale * READABLE_ROWS >= f->height;
}

/* Smaller cells are better where they are wide, else larger; of two, those of the finer font. */
static bool is_better(const struct framebuffer *f, const struct cells *a, const struct cells *b)
{
    uint32_t a_width = a->font.width * a->scale, b_width = b->font.width * b->scale;

    if (is_wide(f, a) != is_wide(f, b))
        return is_wide(f, a);
    if (a_width != b_width)
        return is_wide(f, a) ? a_width < b_width : a_width > b_width;
    return a->scale < b->scale;
}

static enum status choose_cells(struct framebuffer *f)
{
    struct cells best = { .scale = 0 };

    for (uint32_t i = 0; i < font_files_count; i++) {
        struct cells c;

        if (font_parse(font_blob + font_files[i].offset, font_files[i].size, &c.font) != STATUS_OK)
            continue;
        for (c.scale = 1; c.scale <= SCALE_MAX && count_cells(f, &c) == STATUS_OK; c.scale++) {
            if (!best.scale || is_better(f, &c, &best))
                best = c;
        }
    }
    if (!best.scale)
        return STATUS_UNSUPPORTED;
    f->font = best.font;
    f->scale = best.scale;
    f->columns = best.columns;
    f->rows = best.rows;
    return STATUS_OK;
}

/* Eight bytes at a time: every store to an uncached framebuffer is a transaction on the bus. */
static void copy_out(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8)
        __builtin_memcpy(to, from, 8);
    for (; n; n--)
        *to++ = *from++;
}

static void blacken(const struct framebuffer *f)
{
    static const uint8_t black[64];

    for (uint32_t y = 0; y < f->panel_height; y++) {
        uint8_t *row = f->base + (size_t)y * f->pitch;
        size_t left = (size_t)f->panel_width * f->pixel_bytes;

        while (left) {
            size_t n = left < sizeof(black) ? left : sizeof(black);

            copy_out(row, black, n);
            row += n;
            left -= n;
        }
    }
}

enum status framebuffer_init(struct framebuffer *f, const struct boot_framebuffer *mode, void *base,
                             enum framebuffer_turn turn)
{
    enum status s = check_mode(mode);

    if (s != STATUS_OK)
        return s;
    memset(f, 0, sizeof(*f));
    f->base = base;
    f->panel_width = mode->width;
    f->panel_height = mode->height;
    f->turn = turn;
    f->width = is_on_its_side(f) ? mode->height : mode->width;
    f->height = is_on_its_side(f) ? mode->width : mode->height;
    f->pitch = mode->pitch;
    f->pixel_bytes = mode->bits_per_pixel / 8;
    s = choose_cells(f);
    if (s != STATUS_OK)
        return s;
    f->left = (f->width - f->columns * f->font.width * f->scale) / 2;
    f->top = (f->height - f->rows * f->font.height * f->scale) / 2;
    for (size_t i = 0; i < 16; i++)
        f->palette[i] = channel(mode->red_mask, palette_rgb[i][0]) |
                        channel(mode->green_mask, palette_rgb[i][1]) |
                        channel(mode->blue_mask, palette_rgb[i][2]);
    blacken(f);
    return STATUS_OK;
}

static bool is_block(uint8_t code)
{
    return code == GLYPH_FULL || code == GLYPH_UPPER || code == GLYPH_LOWER;
}

/* Whether a block fills its upper half, or its lower one. */
static bool fills(uint8_t block, bool upper)
{
    return block == GLYPH_FULL || (block == GLYPH_UPPER) == upper;
}

/* Of the font's pixels. Squares are whole pixels: each font's sizes are multiples of 2 and 4. */
static unsigned shade_of(const struct font *font, struct cell cell, uint32_t x, uint32_t y)
{
    unsigned quarter = cell.quarter ? cell.quarter - 1u : 0, square;

    if (cell.quarter) {
        x = (x + quarter % 2 * font->width) / 2;
        y = (y + quarter / 2 * font->height) / 2;
    }
    square = y * SQUARES_DOWN / font->height * SQUARES_ACROSS + x * SQUARES_ACROSS / font->width;

    if (cell.colour == SQUARES)
        return cell.code >> square & 1 ? BLACK : WHITE;
    if (is_block(cell.code)) /* not all fonts have them */
        return fills(cell.code, 2 * y < font->height) ? cell.colour & 15 : cell.colour >> 4;
    return font_pixel(font, cell.code, x, y) ? cell.colour & 15 : cell.colour >> 4;
}

/* Like shade_of, with x and y on the panel, counted from the corner of the cell there. */
static unsigned turned_shade_of(const struct framebuffer *f, struct cell cell, uint32_t x,
                                uint32_t y)
{
    const uint32_t right = f->font.width - 1, bottom = f->font.height - 1;

    switch (f->turn) {
    case FRAMEBUFFER_TURN_90: return shade_of(&f->font, cell, y, bottom - x);
    case FRAMEBUFFER_TURN_180: return shade_of(&f->font, cell, right - x, bottom - y);
    case FRAMEBUFFER_TURN_270: return shade_of(&f->font, cell, right - y, x);
    default: return shade_of(&f->font, cell, x, y);
    }
}

/* A row of `across` pixels of the font as pixels of the panel; returns its bytes. */
static size_t render_row(const struct framebuffer *f, struct cell cell, uint32_t across, uint32_t y,
                         uint8_t *out)
{
    size_t n = 0;

    for (uint32_t x = 0; x < across; x++) {
        uint32_t pixel = f->palette[turned_shade_of(f, cell, x, y)];

        for (uint32_t i = 0; i < f->scale; i++, n += f->pixel_bytes)
            __builtin_memcpy(out + n, &pixel, sizeof(pixel)); /* what is too much is overwritten */
    }
    return n;
}

/* Where on the panel the picture's rectangle is that begins at x, y. */
static uint8_t *corner_of(const struct framebuffer *f, uint32_t x, uint32_t y, uint32_t width,
                          uint32_t height)
{
    uint32_t px = x, py = y;

    switch (f->turn) {
    case FRAMEBUFFER_TURN_90:
        px = f->panel_width - y - height;
        py = x;
        break;
    case FRAMEBUFFER_TURN_180:
        px = f->panel_width - x - width;
        py = f->panel_height - y - height;
        break;
    case FRAMEBUFFER_TURN_270:
        px = y;
        py = f->panel_height - x - width;
        break;
    default: break;
    }
    return f->base + (size_t)py * f->pitch + (size_t)px * f->pixel_bytes;
}

static void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    const struct framebuffer *f = ctx;
    uint32_t width = f->font.width * f->scale, height = f->font.height * f->scale;
    uint32_t across = is_on_its_side(f) ? f->font.height : f->font.width;
    uint32_t down = is_on_its_side(f) ? f->font.width : f->font.height;
    uint8_t pixels[FONT_HEIGHT_MAX * SCALE_MAX * 4 + 4];
    uint8_t *to = corner_of(f, f->left + column * width, f->top + row * height, width, height);

    for (uint32_t y = 0; y < down; y++) {
        size_t n = render_row(f, cell, across, y, pixels);

        for (uint32_t i = 0; i < f->scale; i++, to += f->pitch)
            copy_out(to, pixels, n);
    }
}

struct console_backend framebuffer_backend(struct framebuffer *f)
{
    return (struct console_backend){
        .draw = draw, .ctx = f, .columns = f->columns, .rows = f->rows, .has_squares = true
    };
}
