// SPDX-License-Identifier: MIT
/*
 * A framebuffer as a loader describes it, drawn on. The input: bits of physical addresses (1), how
 * the picture is turned (1), base (8), width, height, pitch (4 each), bits a pixel (1), masks (4
 * each), a memory region's base and size (8 each) and kind (1), and cells: column, row, code,
 * colour (1 each).
 */
#include "display/framebuffer.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define BYTES_MAX (5u << 18) /* more takes too long */
#define PAPER     0x5a
#define CELLS_MAX 64

static struct memory_map map;

static uint32_t part(struct fuzz_input *in)
{
    return (uint32_t)fuzz_number(in, 4);
}

static struct boot_framebuffer read_mode(struct fuzz_input *in)
{
    return (struct boot_framebuffer){
        .base = fuzz_number(in, 8),
        .width = part(in),
        .height = part(in),
        .pitch = part(in),
        .bits_per_pixel = (uint32_t)fuzz_number(in, 1),
        .red_mask = part(in),
        .green_mask = part(in),
        .blue_mask = part(in),
    };
}

static void draw(struct fuzz_input *in, struct framebuffer *f)
{
    struct console_backend b = framebuffer_backend(f);

    CHECK(b.columns == f->columns && b.rows == f->rows);
    CHECK(f->columns >= GRID_COLUMNS_MIN && f->columns <= GRID_COLUMNS_MAX);
    CHECK(f->rows >= GRID_ROWS_MIN && f->rows * f->columns <= GRID_CELLS_MAX);
    for (unsigned i = 0; i < CELLS_MAX && in->left; i++) {
        unsigned column = (unsigned)fuzz_number(in, 1), row = (unsigned)fuzz_number(in, 1);
        struct cell cell = { .code = (uint8_t)fuzz_number(in, 1) };

        cell.colour = (uint8_t)fuzz_number(in, 1);
        b.draw(b.ctx, column % b.columns, row % b.rows, cell);
    }
    /* Both corners, whatever the input has. */
    b.draw(b.ctx, 0, 0, CELL('M', 0x0f));
    b.draw(b.ctx, b.columns - 1, b.rows - 1, CELL(0xff, SQUARES));
}

/* What follows the pixels of a row is not theirs. */
static void check_margin(const uint8_t *pixels, const struct boot_framebuffer *m)
{
    size_t used = (size_t)m->width * m->bits_per_pixel / 8;

    for (uint32_t y = 0; y < m->height; y++) {
        const uint8_t *row = pixels + (size_t)y * m->pitch;

        CHECK(used == m->pitch || (row[used] == PAPER && row[m->pitch - 1] == PAPER));
    }
}

static void use(struct fuzz_input *in, const struct boot_framebuffer *mode,
                enum framebuffer_turn turn)
{
    size_t bytes = (size_t)mode->pitch * mode->height;
    uint8_t *pixels = malloc(bytes ? bytes : 1);
    struct framebuffer f;

    CHECK(pixels);
    memset(pixels, PAPER, bytes);
    if (framebuffer_init(&f, mode, pixels, turn) == STATUS_OK) {
        draw(in, &f);
        check_margin(pixels, mode);
    }
    free(pixels);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t limit = UINT64_C(1) << fuzz_number(&in, 1) % 64;
    enum framebuffer_turn turn = (enum framebuffer_turn)(fuzz_number(&in, 1) % 4);
    struct boot_framebuffer mode = read_mode(&in);
    uint64_t area = (uint64_t)mode.pitch * mode.height;
    struct span span = { fuzz_number(&in, 8), 0 };

    span.size = fuzz_number(&in, 8);
    map = (struct memory_map){ .n_regions = 1 };
    map.region[0].span = span;
    map.region[0].kind = (enum boot_region_kind)(fuzz_number(&in, 1) % 11);
    if (framebuffer_is_possible(&mode, limit)) {
        CHECK(mode.base < limit && mode.base + area <= limit && area <= FRAMEBUFFER_BYTES_MAX);
        if (map.region[0].kind == BOOT_REGION_USABLE && span_end(span) > span.base && area)
            CHECK(framebuffer_is_in_memory(&mode, &map) ==
                  (mode.base < span_end(span) && span.base < mode.base + area));
    }
    if (area <= BYTES_MAX)
        use(&in, &mode, turn);
    return 0;
}
