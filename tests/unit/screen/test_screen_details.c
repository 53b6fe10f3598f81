// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "machine_facts/sample.h"
#include "screen/screen_details.h"
#include "decoder/sample_controller.h"
#include "spd/sample_modules.h"

#define TEN_S UINT64_C(10000000)

static void send_support(bool asked)
{
    SEND(.type = EVENT_SUPPORT, .support = { &sample, asked });
}

/* A run of which no module is known. */
static void play_alone_on(struct console_backend backend)
{
    play_on(backend, "measured-1");
    screen.state.modules = NULL;
    screen_redraw(&screen);
}

static int play_alone(void **state)
{
    play_alone_on(shown_of(SHOWN_COLUMNS, SHOWN_ROWS, false));
    return 0;
}

TEST(a_key_shows_it_and_leaves_it, play_alone)
{
    assert_true(find("s  details") < 0);
    screen_turn(&screen, SCREEN_DETAILS); /* nothing is known yet */
    assert_int_equal(screen.state.shown, SCREEN_MAIN);

    send_support(false);
    assert_int_equal(screen.state.shown, SCREEN_MAIN);
    assert_shows("s  details");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("okram 0.1.0   details");
    assert_shows("Firmware");
    assert_shows("SeaBIOS");
    assert_shows("1280x800");
    assert_shows("s  back");
    assert_shows("Memory test:");
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("memory test");
}

/* Before what a bug report needs, from when they are known. */
TEST(modules_are_the_first, play_alone)
{
    SEND(.type = EVENT_MODULE, .module = { &sample_modules });
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("Memory modules");
    assert_shows("DIMM_A1 42 C (highest 43), at SMBus address 0x51 -2 C");
    assert_shows("DIMM_A1, SMBus 0x50: DDR4 UDIMM, 8 GiB, 1 rank of x8 chips, 64+8 bits");
    assert_shows("  Corsair CMK16GX4, serial 0000002A, week 12 of 2019; chips by Samsung");
    assert_shows("  runs at 3200 MT/s 16-18-19-36 2T; JEDEC 2666 (19-20-21-43)");
    assert_shows("  XMP 3200 (16-18-19-36)");
    assert_shows("  EXPO 3000");
    assert_shows("  an overclock, beyond JEDEC's figures in its SPD: faults may come from it");
    assert_shows("SPD: the CRC of type, size and speed is wrong");
    assert_shows("page 1 of 2");
    SEND(.type = EVENT_TEMPERATURE,
         .temperature = {
             .when = "start", .cpu = &sample_cpu, .modules = &sample_modules, .text = "" });
    assert_shows("CPU 63 C (highest 71), DIMM_A1 42 C (highest 43)");
    send_support(false);
    assert_shows("page 1 of 3");
    screen_next_part(&screen);
    assert_shows("DIMM_B1: DDR4, 4 GiB");
    screen_next_part(&screen);
    assert_shows("Firmware");
}

TEST(a_module_that_lies_is_a_warning, play_alone)
{
    SEND(.type = EVENT_GEOMETRY, .geometry = &sample_geometry);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("Warnings");
    assert_shows("The module DIMM_A1 states too much.");
}

TEST(memory_controllers, play_alone)
{
    struct decoded_controller measured = unknown_controller;

    SEND(.type = EVENT_CONTROLLER, .controller = { &sample_controller, &sample_registers });
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("Memory controllers");
    assert_shows("AMD Zen 4");
    assert_shows("channel 0 (channel 0 of controller 0): module 0: 16 GiB, 1 rank");
    SEND(.type = EVENT_CONTROLLER, .controller = { &measured, &no_registers });
    assert_shows("The module of an address is not known: nobody knows.");
    measured.unknown = "the function that selects the controller is not public, and the counters "
                       "of its reads do not count"; /* after faults */
    screen_turn(&screen, SCREEN_DETAILS);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("The module of an address is not known: the function that selects the");
    assert_shows("counters of its reads do not count.");
}

/* The figures of a pass, which the page of results has in words. */
TEST(what_a_pass_excludes)
{
    static const struct span unpaired[] = { { 0, 7 << 20 }, { 64 << 20, 1 << 20 } };
    struct event e = { EVENT_RESULT, .result = { .verdict = VERDICT_PASS,
                                                 .complete = true,
                                                 .excluded = { 6, 2, 1505, 4917.2 } } };

    play_alone(NULL);
    send_support(false);
    send(e);
    assert_shows("s more"); /* among the keys, also where there is little room */
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("What this pass excludes");
    assert_true(says_wrapped("Each cell was read 6 times in completed tests: a fault that shows in "
                             "more than 1 of 2 reads would have been seen (95 %, for each cell); "
                             "errors at random times are rarer than 4918 an hour (95 %)."));
    assert_true(find("together") < 0);
    e.result.unpaired = unpaired;
    e.result.n_unpaired = 2;
    send(e);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_true(says_wrapped("8 MiB was never tested together with the rest: faults between the "
                             "two may have been missed. The report lists it."));
    screen_turn(&screen, SCREEN_DETAILS);
    assert_true(find("together") < 0);
}

/* Of many, a page shows as many as there is room for; each is on one. */
TEST(many_modules_take_several_pages)
{
    static struct modules many;
    unsigned pages;

    many.n = 20;
    for (size_t i = 0; i < many.n; i++) {
        many.module[i] = sample_modules.module[0];
        snprintf(many.module[i].part, sizeof(many.module[i].part), "PART-%02zu", i);
    }
    play_alone_on(shown_of(80, 24, false));
    SEND(.type = EVENT_MODULE, .module = { &many });
    pages = (unsigned)screen_details_count(&screen.state, screen.state.rows_min);
    assert_true(pages >= 4);
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("PART-00,");
    for (unsigned page = 1; page < pages; page++)
        screen_next_part(&screen);
    assert_shows("PART-19,");
}

TEST(all_warnings_at_full_length, start)
{
    char text[WARNING_TEXT_MAX + 16], row[64];
    size_t seen = 0;

    play("measured-12");
    assert_shows(" more"); /* not all of the 30 are on the main page */
    screen_turn(&screen, SCREEN_DETAILS);
    assert_shows("warning: no SRAT table: all memory is taken as one node");
    assert_true(says_wrapped("overlap; the stricter kind was taken for 0x9f000-0xa0000"));
    screen_next_part(&screen);
    assert_shows("and 14 more, in the report");

    start(NULL);
    for (unsigned i = 0; i < SCREEN_WARNINGS_MAX; i++) {
        snprintf(text, sizeof(text), "number %u, ", i);
        while (strlen(text) < WARNING_TEXT_MAX - 4)
            strcat(text, "ah! ");
        snprintf(text + WARNING_TEXT_MAX - 5, 6, " end%c", (char)('A' + i));
        SEND(EVENT_WARNING, 1, .warning = text);
    }
    screen_turn(&screen, SCREEN_DETAILS);
    for (size_t page = 0; page < screen_details_count(&screen.state, SHOWN_ROWS); page++) {
        for (unsigned i = 0; i < SCREEN_WARNINGS_MAX; i++) {
            snprintf(row, sizeof(row), "warning: number %u, ", i);
            seen += find(row) >= 0;
            snprintf(row, sizeof(row), " end%c", (char)('A' + i));
            seen += find(row) >= 0;
        }
        screen_next_part(&screen);
    }
    assert_int_equal(seen, 2 * SCREEN_WARNINGS_MAX);
}

/* On a page each, or all on one: each line once. */
TEST(all_lines_are_on_some_page)
{
    static const struct {
        unsigned columns, rows, pages;
    } sizes[] = { { 80, 24, 2 }, { 80, 25, 1 }, { 128, 48, 1 } };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        play_alone_on(shown_of(sizes[i].columns, sizes[i].rows, false));
        send_support(false);
        assert_int_equal(screen_details_count(&screen.state, screen.state.rows_min),
                         sizes[i].pages);
        screen_turn(&screen, SCREEN_DETAILS);
        assert_shows("Firmware");
        assert_int_equal(find("ACPI tables") < 0, sizes[i].pages > 1); /* no page ends with it */
        for (unsigned page = 1; page < sizes[i].pages; page++)
            screen_next_part(&screen);
        assert_shows("ACPI tables");
        assert_shows("BXPC");
    }
}

/* For ten seconds each, those of all sections. */
TEST(pages_turn_by_themselves_until_all_were_shown)
{
    static const char *const shows[] = { "DIMM_A1, SMBus", "DIMM_B1", "Firmware", "BXPC" };

    play_alone_on(shown_of(80, 24, false));
    SEND(.type = EVENT_MODULE, .module = { &sample_modules });
    send_support(true);
    for (unsigned i = 0; i < 4; i++) {
        screen_tick(&screen, i * TEN_S + 1);
        screen_tick(&screen, (i + 1) * TEN_S);
        assert_shows(shows[i]);
        assert_shows("Pages turn by themselves; any key stops that.");
    }
    screen_tick(&screen, 4 * TEN_S + 1);
    assert_int_equal(screen.state.shown, SCREEN_MAIN);
    screen_tick(&screen, 9 * TEN_S);
    assert_int_equal(screen.state.shown, SCREEN_MAIN);
}

TEST(a_key_stops_that)
{
    play_alone_on(shown_of(80, 24, false));
    send_support(true);
    screen_tick(&screen, 1);
    screen_key_pressed(&screen);
    assert_true(find("Pages turn by themselves") < 0);
    screen_tick(&screen, 9 * TEN_S);
    assert_shows("Firmware");
}

TEST(the_first_fault_and_the_end_are_not_hidden, play_alone)
{
    send_support(true);
    SEND(EVENT_FAULT, 2, .fault = { 0x5000000, 1, 0, "address", 1, 0, 0 });
    assert_int_equal(screen.state.shown, SCREEN_MAIN);
    assert_false(screen.state.turns_itself);

    play_alone(NULL);
    send_support(true);
    screen_next_part(&screen);
    SEND(EVENT_RESULT, 9, .result = { .verdict = VERDICT_PASS });
    assert_int_equal(screen.state.shown, SCREEN_RESULT);
    assert_false(screen.state.turns_itself);
}
