// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/screen_side_panels.h"

#define BESIDE 81 /* the column of what is next to a page */

static void assert_beside(unsigned row, const char *text)
{
    assert_true(strlen(row_text(row)) > BESIDE);
    assert_string_equal(row_text(row) + BESIDE, text);
}

/* The row next to the page that begins with this. */
static unsigned find_beside(const char *text)
{
    for (unsigned row = 0; row < shown.rows; row++) {
        const char *found = row_text(row);

        if (strlen(found) > BESIDE && strncmp(found + BESIDE, text, strlen(text)) == 0)
            return row;
    }
    assert_shows(text);
    fail_msg("not next to the page: %s", text);
    return 0;
}

static unsigned squares(unsigned row)
{
    unsigned n = 0;

    for (unsigned column = BESIDE; column < shown.columns; column++)
        n += grid_at(&shown, column, row)->code == GLYPH_SQUARE;
    return n;
}

static void beside_the_main_page(void **state)
{
    unsigned row;

    play_on(shown_of(137, 38, true), "two-nodes-faults");
    row = find_beside("node 0");
    assert_int_equal(squares(row), 55 - 16); /* the fastest is whole */
    assert_int_equal(squares(row + 1), (55 - 16) / 2);
    assert_shows("MB/s by the CPUs of each node");
    assert_string_equal(row_text(row + 1) + 136 - 5, " 6001");
    row = find_beside("address");
    assert_beside(row + 1, "0x000123456000         1  63");
    assert_beside(row + 2, "0x000123467000         1  8");
    assert_shows("Bad pages");
    row = find_beside("DIMM_A1");
    assert_beside(row - 1, "place            size type   MT/s");
    assert_beside(row, "DIMM_A1        16 GiB DDR4   3200");
    assert_beside(row + 1, "DIMM_A2        16 GiB DDR4   2933");
    assert_beside(row + 2, "DIMM_B1        16 GiB DDR4   2933");
    assert_shows("badram=0x123456000"); /* nothing of the page is lost */
}

static void faults_are_counted_by_page(void **state)
{
    play_on(shown_of(137, 38, true), "warnings");
    for (uint64_t i = 0; i < 100; i++)
        screen_receive(&screen, &(struct event){ EVENT_FAULT, 1,
                                                 .fault = { 0x5000 + i % 3 * 0x800, 1 << i % 3, 0,
                                                            "x", 1, 0, 0 } });
    screen_receive(&screen, &(struct event){ .type = EVENT_MCE });
    assert_beside(find_beside("address") + 1, "0x000000005000        67  0,1");
    assert_beside(find_beside("address") + 2, "0x000000006000        33  2");
}

static void send_progress(const struct ram_view *ram, double mb_s)
{
    screen_receive(
        &screen,
        &(struct event){ EVENT_PROGRESS,
                         .progress = { .phase = "test", .test = "x", .ram = ram, .mb_s = mb_s } });
}

static unsigned count_cells(unsigned row, uint8_t code)
{
    unsigned n = 0;

    for (unsigned column = BESIDE + 4; column < shown.columns; column++)
        n += grid_at(&shown, column, row)->code == code;
    return n;
}

static void what_one_cpu_reads(void **state)
{
    unsigned row;

    play_on(shown_of(137, 48, true), "measured-1");
    row = find_beside("\xc4\xc4 Caches and memory");
    assert_beside(row + 1, "                 size        MB/s           ns");
    assert_beside(row + 2, "L1             32 KiB    123456.8          1.2");
    assert_int_equal(strncmp(row_text(row + 5) + BESIDE, "memory        256 MiB     17321.9", 33),
                     0);
}

/* Two nodes of 100 and 28 MiB; of node 0 half is tested. */
static void a_picture_of_all_ram(void **state)
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
    send_progress(&picture.view, 1000);
    row = find_beside("\xc4\xc4 All RAM");
    assert_int_equal(count_cells(row + 1, GLYPH_SQUARE) + count_cells(row + 2, GLYPH_SQUARE), 49);
    assert_int_equal(count_cells(row + 1, 'X'), 1);
    assert_int_equal(count_cells(row + 1, GLYPH_FULL), 1);
    assert_int_equal(count_cells(row + 2, GLYPH_DOT), 100 - 51);
    assert_int_equal(count_cells(row + 3, '-'), 28);
    assert_shows("1 MiB each");
}

/* Forty values, of however many events; the bars are relative to the fastest. */
static void speeds_since_the_start(void **state)
{
    unsigned row;

    play_on(shown_of(137, 38, true), "two-nodes-faults");
    screen.state.rates = (struct rate_history){ 0 }; /* the scene has sent one */
    for (unsigned i = 0; i < 1000; i++)
        send_progress(NULL, i < 500 ? 500 : 1000);
    row = find_beside("\xc4\xc4 Since the start");
    assert_shows("MB/s, 1000 at most");
    assert_int_equal(screen.state.rates.each, 32);
    assert_int_equal(screen.state.rates.n, 31);
    assert_int_equal(grid_at(&shown, BESIDE, row + 1)->code, ' ');
    assert_int_equal(grid_at(&shown, BESIDE, row + 4)->code, GLYPH_FULL);
    assert_int_equal(grid_at(&shown, BESIDE + 30, row + 1)->code, GLYPH_FULL);
}

/* On 80 columns in one row, between progress and errors. */
static void a_strip_of_all_ram(void **state)
{
    static struct ram_picture picture;
    struct ram_picture_span span[] = { { .span = { 0, 512 << 20 } } };
    unsigned row = 0;

    ram_picture_init(&picture, span, 1);
    ram_picture_test(&picture, span[0].span);
    ram_picture_mark_bad(&picture, (struct span){ 511 << 20, 4096 });
    ram_picture_look(&picture);
    play("measured-1");
    send_progress(&picture.view, 1000);
    while (row < shown.rows && strncmp(row_text(row), " RAM ", 5) != 0)
        row++;
    assert_true(row < shown.rows);
    assert_int_equal(grid_at(&shown, 5, row)->code, GLYPH_DOT);
    assert_int_equal(row_text(row)[strlen(row_text(row)) - 1], 'X');
}

/* However many there are, each section has its rows, and says what it leaves out. */
static void sections_share_the_rows(void **state)
{
    struct scene s = { .nodes = 12, .n_patterns = 64, .n_faults = 900, .phase = "test" };

    start_on(shown_of(128, 36, true));
    scene_play(&s, (struct event_sink){ screen_receive, &screen });
    assert_shows("Now");
    assert_int_equal(find_beside("node 7"), find_beside("node 0") + 7);
    assert_shows(" of 64 ");
    assert_shows("first 3 of 24");
    assert_int_equal(find_beside("DIMM_A1") + 2, find_beside("DIMM_B1"));
    assert_int_equal(find_beside("DIMM_B1"), shown.rows - 2);
}

static void below_the_main_page_of_a_high_grid(void **state)
{
    play_on(shown_of(90, 80, true), "two-nodes-faults");
    assert_true(find("Bad pages") > find("badram="));
    assert_true(find("Modules") > find("Bad pages"));
    assert_true(find("DIMM_B2") < find("q  stop"));
    play_on(shown_of(80, 30, true), "two-nodes-faults");
    assert_int_equal(find("Now"), 25); /* below 24 of the page, and an empty one */
    assert_true(find("Modules") < 0);
    play("two-nodes-faults"); /* no room */
    assert_true(find("Now") < 0);
}

static void beside_the_other_pages(void **state)
{
    play_on(shown_of(128, 36, true), "measured-2");
    screen_turn(&screen, SCREEN_MEASURED);
    find_beside("DIMM_A1");
    screen_turn(&screen, SCREEN_MEASURED);
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
    assert_true(find("DIMM_A1") < 0); /* the short report's code is there */
    play_on(shown_of(128, 36, true), "long-line");
    find_beside("DIMM_A1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_of_all_ram),
        cmocka_unit_test(speeds_since_the_start),
        cmocka_unit_test(a_strip_of_all_ram),
        cmocka_unit_test(beside_the_main_page),
        cmocka_unit_test(faults_are_counted_by_page),
        cmocka_unit_test(what_one_cpu_reads),
        cmocka_unit_test(sections_share_the_rows),
        cmocka_unit_test(below_the_main_page_of_a_high_grid),
        cmocka_unit_test(beside_the_other_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
