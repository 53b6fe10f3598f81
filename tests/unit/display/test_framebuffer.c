// SPDX-License-Identifier: MIT
#include "display/framebuffer.h"
#include "tests/unit/unit.h"

#define RGB32 .bits_per_pixel = 32, .red_mask = 0xff0000, .green_mask = 0xff00, .blue_mask = 0xff

static struct framebuffer f;

static void draw(unsigned column, unsigned row, struct cell cell)
{
    framebuffer_backend(&f).draw(&f, column, row, cell);
}

TEST(fonts_fit_the_screen)
{
    static const struct {
        uint32_t width, height;
        enum status status;
        uint32_t font_width, scale, columns, rows;
    } cases[] = {
        { 639, 400, STATUS_UNSUPPORTED, 0, 0, 0, 0 },
        { 640, 383, STATUS_UNSUPPORTED, 0, 0, 0, 0 },
        { 0, 0, STATUS_UNSUPPORTED, 0, 0, 0, 0 },
        { 640, 384, STATUS_OK, 8, 1, 80, 24 },
        { 640, 480, STATUS_OK, 8, 1, 80, 30 },
        { 800, 600, STATUS_OK, 10, 1, 80, 30 },
        { 1024, 600, STATUS_OK, 8, 1, 128, 37 },
        { 959, 600, STATUS_OK, 10, 1, 95, 30 },  /* 119 columns of 8 pixels are not enough */
        { 1024, 704, STATUS_OK, 8, 1, 128, 44 }, /* as many rows as are readable */
        { 1024, 705, STATUS_OK, 12, 1, 85, 29 },
        { 1024, 768, STATUS_OK, 12, 1, 85, 32 },
        { 1280, 720, STATUS_OK, 10, 1, 128, 36 },
        { 1280, 800, STATUS_OK, 10, 1, 128, 40 },
        { 1280, 1024, STATUS_OK, 16, 1, 80, 32 },
        { 1366, 768, STATUS_OK, 10, 1, 136, 38 },
        { 1920, 1080, STATUS_OK, 14, 1, 137, 38 },
        { 1920, 1200, STATUS_OK, 14, 1, 137, 42 },
        { 2560, 1440, STATUS_OK, 10, 2, 128, 36 },
        { 3440, 1440, STATUS_OK, 10, 2, 144, 36 }, /* 172 would fit */
        { 3840, 2160, STATUS_OK, 14, 2, 137, 38 },
        { 1080, 1920, STATUS_OK, 12, 1, 90, 80 },
        { 1200, 1920, STATUS_OK, 14, 1, 85, 68 },
        { 640, 2160, STATUS_OK, 8, 1, 80, 90 }, /* 135 rows would fit */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct boot_framebuffer mode = {
            .width = cases[i].width, .height = cases[i].height, .pitch = cases[i].width * 4, RGB32
        };
        void *base = malloc((size_t)mode.pitch * mode.height + 1);

        assert_int_equal(framebuffer_init(&f, &mode, base, FRAMEBUFFER_TURN_0), cases[i].status);
        if (cases[i].status == STATUS_OK) {
            assert_int_equal(f.font.width, cases[i].font_width);
            assert_int_equal(f.scale, cases[i].scale);
            assert_int_equal(f.columns, cases[i].columns);
            assert_int_equal(f.rows, cases[i].rows);
        }
        free(base);
    }
}

/* 0x1000 bytes at 2 MiB, next to or in a region of each kind. */
TEST(memory_under_test_is_no_framebuffer)
{
    static const struct {
        struct span region;
        enum boot_region_kind kind;
        bool in_memory;
    } cases[] = {
        { { 0x100000, 0x100000 }, BOOT_REGION_USABLE, false },
        { { 0x100000, 0x100001 }, BOOT_REGION_USABLE, true },
        { { 0x201000, 0x100000 }, BOOT_REGION_USABLE, false },
        { { 0x200fff, 0x100000 }, BOOT_REGION_USABLE, true },
        { { 0x100000, 0x200000 }, BOOT_REGION_ACPI_RECLAIM, true },
        { { 0x200800, 1 }, BOOT_REGION_PERSISTENT, true },
        { { 0x100000, 0x200000 }, BOOT_REGION_RESERVED, false },
        { { 0x100000, 0x200000 }, BOOT_REGION_MMIO, false },
        { { 0x100000, 0x200000 }, BOOT_REGION_ACPI_NVS, false },
    };
    const struct boot_framebuffer mode = { .base = 0x200000, .pitch = 0x100, .height = 16 };
    static struct memory_map map = { .n_regions = 2 };

    map.region[0] = (struct memory_region){ { 0, 0x1000 }, BOOT_REGION_USABLE };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        map.region[1] = (struct memory_region){ cases[i].region, cases[i].kind };
        assert_int_equal(framebuffer_is_in_memory(&mode, &map), cases[i].in_memory);
    }
}

TEST(what_cannot_be_mapped_is_no_screen)
{
    static const struct {
        uint64_t base;
        uint32_t pitch, height;
        bool possible;
    } cases[] = {
        { 0x80000000, 1 << 20, 1024, true },
        { 0x80000000, (1 << 20) + 4, 1024, false },
        { (UINT64_C(1) << 36) - 4096, 1024, 4, true }, /* its last byte is the last */
        { (UINT64_C(1) << 36) - 4096, 1025, 4, false },
        { UINT64_C(1) << 36, 0, 0, false },
        { UINT64_C(1) << 40, 1024, 4, false },
        { UINT64_MAX - 100, 1024, 4, false },
        { 0x80000000, UINT32_MAX, UINT32_MAX, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct boot_framebuffer mode = { .base = cases[i].base,
                                               .pitch = cases[i].pitch,
                                               .height = cases[i].height };

        assert_int_equal(framebuffer_is_possible(&mode, UINT64_C(1) << 36), cases[i].possible);
    }
}

TEST(bad_modes_are_refused)
{
    static const struct {
        uint32_t width, pitch, bits, red, green, blue;
        enum status status;
    } cases[] = {
        { 640, 2559, 32, 0xff0000, 0xff00, 0xff, STATUS_INVALID },
        { 640, 640, 8, 7, 0x38, 0xc0, STATUS_UNSUPPORTED },
        { 640, 2560, 32, 0, 0xff00, 0xff, STATUS_INVALID },
        { 640, 2560, 32, 0xf0f0000, 0xff00, 0xff, STATUS_INVALID },
        { 640, 1280, 16, 0x1f800, 0x7e0, 0x1f, STATUS_INVALID },
        { UINT32_MAX, 2560, 32, 0xff0000, 0xff00, 0xff, STATUS_INVALID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct boot_framebuffer mode = { .width = cases[i].width,
                                               .height = 400,
                                               .pitch = cases[i].pitch,
                                               .bits_per_pixel = cases[i].bits,
                                               .red_mask = cases[i].red,
                                               .green_mask = cases[i].green,
                                               .blue_mask = cases[i].blue };

        assert_int_equal(framebuffer_init(&f, &mode, NULL, FRAMEBUFFER_TURN_0), cases[i].status);
    }
}

/* Every pixel format, with a pitch beyond the width and guard bytes after each row and the end. */
TEST(pixels_are_where_and_what_they_should_be)
{
    static const struct {
        uint32_t bits, red, green, blue, white, blue_pixel;
    } formats[] = {
        { 32, 0xff0000, 0xff00, 0xff, 0xffffff, 0x1030a0 },
        { 32, 0xff, 0xff00, 0xff0000, 0xffffff, 0xa03010 },
        { 32, 0x3ff00000, 0xffc00, 0x3ff, 0x3fffffff, 0x40 << 20 | 0xc0 << 10 | 0x281 },
        { 24, 0xff0000, 0xff00, 0xff, 0xffffff, 0x1030a0 },
        { 16, 0xf800, 0x7e0, 0x1f, 0xffff, 1 << 11 | 11 << 5 | 19 },
    };
    const uint32_t width = 647, height = 403;

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        uint32_t bytes = formats[i].bits / 8, pitch = width * bytes + 5, n_white = 0, n_blue = 0;
        struct boot_framebuffer mode = { .width = width,
                                         .height = height,
                                         .pitch = pitch,
                                         .bits_per_pixel = formats[i].bits,
                                         .red_mask = formats[i].red,
                                         .green_mask = formats[i].green,
                                         .blue_mask = formats[i].blue };
        uint8_t *base = malloc((size_t)pitch * height);

        memset(base, 0x5a, (size_t)pitch * height);
        assert_int_equal(framebuffer_init(&f, &mode, base, FRAMEBUFFER_TURN_0), STATUS_OK);
        draw(79, 24, CELL('x', COLOUR(WHITE, BLUE)));
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                bool inside =
                    x >= 3 + 79 * 8 && x < 3 + 80 * 8 && y >= 1 + 24 * 16 && y < 1 + 25 * 16;
                uint32_t pixel = 0;

                memcpy(&pixel, base + (size_t)y * pitch + x * bytes, bytes);
                if (!inside)
                    assert_int_equal(pixel, 0);
                n_white += pixel == formats[i].white;
                n_blue += pixel == formats[i].blue_pixel;
            }
            for (uint32_t x = width * bytes; x < pitch; x++)
                assert_int_equal(base[(size_t)y * pitch + x], 0x5a);
        }
        assert_int_equal(n_white + n_blue, 8 * 16);
        assert_in_range(n_white, 5, 60);
        free(base);
    }
}

TEST(scaling_repeats_pixels)
{
    struct boot_framebuffer mode = { .width = 2560, .height = 1440, .pitch = 2560 * 4, RGB32 };
    uint32_t *base = malloc((size_t)mode.pitch * mode.height);

    assert_int_equal(framebuffer_init(&f, &mode, base, FRAMEBUFFER_TURN_0), STATUS_OK);
    draw(0, 0, CELL('R', COLOUR(WHITE, BLACK)));
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 10; x++) {
            uint32_t want = font_pixel(&f.font, 'R', x, y) ? 0xffffff : 0;

            for (uint32_t i = 0; i < 4; i++)
                assert_int_equal(base[(2 * y + i / 2) * 2560 + 2 * x + i % 2], want);
        }
    free(base);
}

/* The four quarters of a character, next to each other, are it, with each pixel doubled. */
TEST(quarters_make_a_character_twice_as_large)
{
    struct boot_framebuffer mode = { .width = 2560, .height = 1440, .pitch = 2560 * 4, RGB32 };
    uint32_t *base = malloc((size_t)mode.pitch * mode.height);

    assert_int_equal(framebuffer_init(&f, &mode, base, FRAMEBUFFER_TURN_0), STATUS_OK);
    for (uint8_t i = 0; i < 4; i++)
        draw(i % 2, i / 2, (struct cell){ 'R', COLOUR(WHITE, BLUE), QUARTER_LEFT_UPPER + i });
    for (uint32_t y = 0; y < 4 * f.font.height; y++)
        for (uint32_t x = 0; x < 4 * f.font.width; x++)
            assert_int_equal(base[(f.top + y) * 2560 + f.left + x],
                             f.palette[font_pixel(&f.font, 'R', x / 4, y / 4) ? WHITE : BLUE]);
    free(base);
}

/* Of any font and scale: each is a quarter of a cell high, half a cell wide, and square. */
TEST(squares_are_whole_pixels)
{
    static const struct {
        uint32_t width, height, side;
    } cases[] = {
        { 640, 400, 4 },   { 800, 600, 5 },    { 1024, 768, 6 },   { 1920, 1080, 7 },
        { 1280, 1024, 8 }, { 2560, 1440, 10 }, { 3840, 2160, 14 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t width = cases[i].width, height = cases[i].height, side = cases[i].side;
        struct boot_framebuffer mode = {
            .width = width, .height = height, .pitch = width * 4, RGB32
        };
        uint32_t *base = malloc((size_t)mode.pitch * height);

        assert_int_equal(framebuffer_init(&f, &mode, base, FRAMEBUFFER_TURN_0), STATUS_OK);
        for (unsigned bit = 0; bit < 8; bit++) {
            draw(0, 0, CELL((uint8_t)(1 << bit), SQUARES));
            for (uint32_t y = 0; y < 4 * side; y++)
                for (uint32_t x = 0; x < 2 * side; x++) {
                    bool black = y / side * 2 + x / side == bit;

                    assert_int_equal(base[(f.top + y) * width + f.left + x], black ? 0 : 0xffffff);
                }
        }
        free(base);
    }
}

static uint32_t at(const uint32_t *base, uint32_t width, uint32_t x, uint32_t y)
{
    return base[(size_t)y * width + x];
}

/* Each pixel of the picture is where a person finds it who turns the panel. */
TEST(a_turned_picture_is_the_same_picture)
{
    const uint32_t width = 1030, height = 791; /* with a margin all around */
    struct boot_framebuffer plain = { .width = width, .height = height, .pitch = width * 4, RGB32 };
    struct boot_framebuffer side = { .width = height, .height = width, .pitch = height * 4, RGB32 };
    uint32_t *want = malloc((size_t)4 * width * height), *got = malloc((size_t)4 * width * height);
    const struct cell cells[] = { CELL('R', COLOUR(WHITE, BLUE)), CELL(0x1d, SQUARES) };

    for (int turn = FRAMEBUFFER_TURN_90; turn <= FRAMEBUFFER_TURN_270; turn++) {
        bool on_side = turn != FRAMEBUFFER_TURN_180;
        const struct boot_framebuffer *mode = on_side ? &side : &plain;

        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(
                framebuffer_init(&f, pass ? mode : &plain, pass ? got : want,
                                 pass ? (enum framebuffer_turn)turn : FRAMEBUFFER_TURN_0),
                STATUS_OK);
            assert_int_equal(f.columns, 85);
            assert_int_equal(f.rows, 32);
            draw(0, 0, cells[0]);
            draw(84, 31, cells[1]);
            draw(3, 30, cells[0]);
        }
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++)
                assert_int_equal(turn == FRAMEBUFFER_TURN_90 ? at(got, height, height - 1 - y, x)
                                 : turn == FRAMEBUFFER_TURN_180
                                     ? at(got, width, width - 1 - x, height - 1 - y)
                                     : at(got, height, y, width - 1 - x),
                                 at(want, width, x, y));
    }
    free(want);
    free(got);
}
