// SPDX-License-Identifier: MIT
/*
 * The running page and that of results on a text screen and on framebuffers of three sizes: that
 * each shows the picture of all RAM, modules and temperatures, and can be read from two metres.
 */
#include "screen/shown.h"

#include "display/framebuffer.h"
#include "screen/screen_result.c" /* the large letters, which it keeps to itself */
#include "screen/screen_modules.h"
#include "screen/screen_section.h"
#include "spd/sample_modules.h"

#define ROWS_READABLE 44 /* cells of at least 1/44 of the height: framebuffer.h */
#define BESIDE        (GRID_COLUMNS_MIN + 1) /* the column of what is next to a page */
#define WORD_PART     8 /* the large word has at least this part of the height */

struct size {
    unsigned width, height; /* 0: a text screen */
};

static const struct size sizes[] = { { 0, 0 }, { 1280, 800 }, { 1920, 1080 }, { 3840, 2160 } };

static struct console_backend backend_of(struct size size)
{
    struct framebuffer f;
    const struct boot_framebuffer mode = { .width = size.width,
                                           .height = size.height,
                                           .pitch = size.width * 4,
                                           .bits_per_pixel = 32,
                                           .red_mask = 0xff0000,
                                           .green_mask = 0xff00,
                                           .blue_mask = 0xff };
    uint8_t *pixels;

    if (!size.width)
        return shown_of(SHOWN_COLUMNS, SHOWN_ROWS, false);
    pixels = calloc((size_t)size.width * size.height, 4);
    assert_non_null(pixels);
    assert_int_equal(framebuffer_init(&f, &mode, pixels, FRAMEBUFFER_TURN_0), STATUS_OK);
    free(pixels);
    assert_true(f.font.height * f.scale * ROWS_READABLE >= size.height);
    return shown_of(f.columns, f.rows, true);
}

static void send_ram(const struct ram_view *ram)
{
    SEND(EVENT_PROGRESS, .progress = { .phase = "test", .test = "x", .ram = ram });
}

/* Half of 512 MiB is tested; a page is bad. */
static void send_picture(void)
{
    static struct ram_picture picture;
    struct ram_picture_span span[] = { { .span = { 0, 512 * MIB } } };

    ram_picture_init(&picture, span, 1);
    ram_picture_test(&picture, span[0].span);
    ram_picture_swept(&picture, (struct span){ 0, 256 * MIB });
    ram_picture_mark_bad(&picture, (struct span){ 8 * MIB, 4096 });
    ram_picture_look(&picture);
    ram_picture_swept(&picture, (struct span){ 256 * MIB, MIB });
    ram_picture_look(&picture);
    send_ram(&picture.view);
}

static void send_temperatures(const struct temperature *cpu, const struct modules *modules)
{
    SEND(.type = EVENT_TEMPERATURE,
         .temperature = { .when = "start", .cpu = cpu, .modules = modules, .text = "" });
}

static unsigned count_cells(uint8_t code)
{
    unsigned n = 0;

    for (unsigned row = 0; row < shown.rows; row++)
        for (unsigned column = 0; column < shown.columns; column++)
            n += grid_at(&shown, column, row)->code == code;
    return n;
}

TEST(while_it_runs)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        play_on(backend_of(sizes[i]), "measured-1");
        send_temperatures(&sample_cpu, &sample_modules);
        send_picture();
        send_picture();
        send_picture();
        assert_true(count_cells('X') >= 1);
        assert_true(count_cells(GLYPH_DOT) > 10);
        if (!sizes[i].width) {
            assert_shows("CPU 63 C (highest 71), DIMM_A1 42 C (highest 43)");
            assert_true(find("Modules and temperatures") < 0);
            continue;
        }
        assert_true(shown.columns >= SCREEN_WIDE_COLUMNS);
        assert_true(find("CPU 63 C (highest") < 0); /* not twice */
        assert_shows("MiB each");
        assert_shows(" bad");
        assert_shows("place            size type   MT/s  now highest");
        assert_shows("CPU                               63 C    71 C");
        assert_shows("DIMM_A1         8 GiB DDR4   3200 42 C    43 C");
        assert_shows("SMBus 0x51    unknown DDR5        -2 C    -2 C");
        assert_shows("DIMM_B1         4 GiB DDR4");
    }
}

static unsigned count_in_row(unsigned row, uint8_t code)
{
    unsigned n = 0;

    for (unsigned column = BESIDE + 4; column < shown.columns; column++)
        n += grid_at(&shown, column, row)->code == code;
    return n;
}

/* Two nodes of 100 and 28 MiB; of node 0 half is tested. */
TEST(a_picture_of_all_ram)
{
    static struct ram_picture picture;
    struct ram_picture_span span[] = { { .span = { 0, 100 << 20 } },
                                       { .span = { 1u << 30, 28 << 20 }, .node = 1 } };
    unsigned row;

    ram_picture_init(&picture, span, 2);
    ram_picture_test(&picture, (struct span){ 0, 100 << 20 });
    ram_picture_swept(&picture, (struct span){ 0, 50 << 20 });
    ram_picture_look(&picture);
    ram_picture_swept(&picture, (struct span){ 50 << 20, 1 << 20 });
    ram_picture_mark_bad(&picture, (struct span){ 7 << 20, 4096 });
    ram_picture_look(&picture);
    play_on(shown_of(137, 38, true), "two-nodes-faults");
    send_ram(&picture.view);
    row = (unsigned)find("All RAM");
    assert_int_equal(count_in_row(row + 1, GLYPH_SQUARE) + count_in_row(row + 2, GLYPH_SQUARE), 49);
    assert_int_equal(count_in_row(row + 1, 'X'), 1);
    assert_int_equal(count_in_row(row + 1, GLYPH_FULL), 1);
    assert_int_equal(count_in_row(row + 2, GLYPH_DOT), 100 - 51);
    assert_int_equal(count_in_row(row + 3, '-'), 28);
    assert_shows("1 MiB each");
}

/* On 80 columns in one row, between progress and errors. */
TEST(a_strip_of_all_ram)
{
    static struct ram_picture picture;
    struct ram_picture_span span[] = { { .span = { 0, 512 << 20 } } };
    unsigned row = 0;

    ram_picture_init(&picture, span, 1);
    ram_picture_test(&picture, span[0].span);
    ram_picture_mark_bad(&picture, (struct span){ 511 << 20, 4096 });
    ram_picture_look(&picture);
    play("measured-1");
    send_ram(&picture.view);
    while (row < shown.rows && strncmp(row_text(row), " RAM ", 5) != 0)
        row++;
    assert_true(row < shown.rows);
    assert_int_equal(grid_at(&shown, 5, row)->code, GLYPH_DOT);
    assert_int_equal(row_text(row)[strlen(row_text(row)) - 1], 'X');

    start_on(shown_of(80, 25, false)); /* warnings leave no gap, but a row for it */
    scene_play(&(struct scene){ .nodes = 1, .n_warnings = 6, .phase = "test" },
               (struct event_sink){ screen_receive, &screen });
    send_ram(&picture.view);
    for (row = 0; row < shown.rows && strncmp(row_text(row), " RAM ", 5) != 0; row++) {
    }
    assert_true(row < shown.rows);
}

/* On a high grid below the page, if there is room. */
TEST(below_the_main_page_of_a_high_grid)
{
    play_on(shown_of(90, 80, true), "two-nodes-faults");
    send_picture();
    assert_true(find("All RAM") > find("badram="));
    assert_true(find("Modules") > find("All RAM"));
    assert_int_equal(find("DIMM_B2"), find("q stop") - 1);
    play_on(shown_of(80, 30, true), "two-nodes-faults");
    send_picture();
    assert_true(find("All RAM") < 0 && find("Modules") < 0);
    assert_true(count_cells('X') >= 1);
}

/* However many there are, each has its rows, and the list says what it leaves out. */
TEST(picture_and_modules_share_the_rows)
{
    struct scene s = { .nodes = 12, .n_patterns = 64, .n_faults = 900, .phase = "test" };

    start_on(shown_of(128, 36, true));
    scene_play(&s, (struct event_sink){ screen_receive, &screen });
    send_picture();
    assert_int_equal(find("All RAM"), 1);
    assert_shows(" of 24 ");
    assert_shows("DIMM_A1");
    assert_shows("X bad");
}

TEST(at_the_end)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct word_size word;

        play_on(backend_of(sizes[i]), "fail");
        word = screen_word_size("FAIL", SHOWN_COLUMNS - 2, shown.rows / 4);
        assert_true(word.rows * WORD_PART >= shown.rows);
        assert_shows("FAIL: 2 bad pages");
        assert_shows("What to do");
        assert_shows("badram=0x123456000");
    }
}

TEST(a_single_module_names_the_picture)
{
    static struct modules one;

    one = (struct modules){ .module = { sample_modules.module[0] }, .n = 1 };
    play_on(shown_of(128, 40, true), "warnings");
    send_temperatures(&sample_cpu, &one);
    send_picture();
    assert_shows("All RAM: DIMM_A1");
    one.n_others = 1; /* one more, somewhere */
    send_picture();
    assert_true(find("All RAM: DIMM_A1") < 0);
    assert_shows("All RAM");
}

/* Channels alternate within a cell: the picture says how many faults are in which. */
TEST(channels_by_bits_of_a_person)
{
    static const char *const channels =
        "channel 0 (DIMM_A1): 0, channel 1 (DIMM_B1): 12 of 12 words, computed with your bits";
    const struct kind_verdict verdict = { .kind = KIND_CELL };

    play_on(shown_of(128, 40, true), "warnings");
    send_picture();
    SEND(.type = EVENT_KIND, .kind = { &verdict, "", "", channels });
    assert_shows("now X bad");
    assert_int_equal(find("channel 0 (DIMM_A1): 0, channel 1 (DIMM_B1):"), find("now X bad") + 1);
    assert_int_equal(find("12 of 12 words, computed with your bits"), find("now X bad") + 2);
}

TEST(temperatures_in_a_line)
{
    static const struct modules none;
    static const struct temperature unknown;
    char text[SCREEN_TEMPERATURES_SIZE];

    play("warnings");
    screen_modules_temperatures(&screen.state, text);
    assert_string_equal(text, "");
    send_temperatures(&sample_cpu, &none);
    screen_modules_temperatures(&screen.state, text);
    assert_string_equal(text, "CPU 63 C (highest 71)");
    send_temperatures(&unknown, &sample_modules);
    screen_modules_temperatures(&screen.state, text);
    assert_string_equal(text, "DIMM_A1 42 C (highest 43)");
}

/* What a sensor says that is doubted is not shown, and a pause is, in place of the speed. */
TEST(heat_is_shown)
{
    static const struct temperature doubted = { true, 45000, 63125, 71000, SENSOR_JUMPS, false };
    static const struct modules none;

    play("two-nodes-faults");
    send_temperatures(&doubted, &none);
    SEND(.type = EVENT_PROGRESS, .progress = { .phase = "test",
                                               .test = "march-mss+",
                                               .pass = 1,
                                               .passes = 1,
                                               .n_tests = 4,
                                               .mb_s = 98765,
                                               .heat = "paused: 96 C (DIMM_A1), until 85 C" });
    assert_shows("CPU unknown (highest 71)");
    assert_shows("march-mss+, paused: 96 C (DIMM_A1), until 85 C");
    assert_true(find("98765") < 0);
}
