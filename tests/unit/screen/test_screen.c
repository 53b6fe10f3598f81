// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "lib/keys.h"

#include "firmware/memory_ecc.h"
#include "screen/screen_pages.h"
#include "screen/screen_result.h"

static void ignore(void *ctx, unsigned column, unsigned row, struct cell cell)
{
}

static const struct {
    unsigned columns, rows;
} sizes[] = { { 80, 24 }, { 80, 25 }, { 85, 32 }, { 90, 80 }, { 128, 36 }, { 144, 50 } };

static void assert_all_cells_are_painted(void)
{
    for (unsigned row = 0; row < shown.rows; row++)
        for (unsigned column = 0; column < shown.columns; column++) {
            uint8_t code = grid_at(&shown, column, row)->code;

            assert_true((code >= ' ' && code <= '~') || code == GLYPH_CUT || code == GLYPH_FULL ||
                        code == GLYPH_UPPER || code == GLYPH_LOWER || code == GLYPH_DOT ||
                        code == GLYPH_RULE || code == GLYPH_SQUARE ||
                        grid_at(&shown, column, row)->colour == SQUARES);
        }
}

/* Whatever the scene and the size, every cell is something that all devices can show. */
TEST(every_scene_paints_every_cell, start)
{
    for (size_t i = 0; i < n_scenes; i++)
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            play_on(shown_of(sizes[j].columns, sizes[j].rows, j % 2), scenes[i].name);
            assert_all_cells_are_painted();
            for (int kind = SCREEN_FIRST_OF_KEY; kind <= SCREEN_DETAILS; kind++) {
                screen_turn(&screen, (enum screen_pages)kind);
                for (size_t n = screen_pages_count(&screen.state, (enum screen_pages)kind); n;
                     n--) {
                    assert_all_cells_are_painted();
                    screen_next_part(&screen);
                }
            }
        }
}

/* Addresses and masks without blanks between them. */
static bool is_of_line(const char *row)
{
    return (strncmp(row, " badram=", 8) == 0 || strncmp(row, " 0x", 3) == 0) &&
           !strchr(row + 1, ' ');
}

/* Pages of the smallest are turned; the others show theirs with the same contents meanwhile. */
TEST(screens_of_two_sizes_are_in_step, start)
{
    static char seen[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];
    size_t parts;

    start_on(shown_of(85, 32, true));
    screen_add_view(&screen, shown_of(80, 24, false), 0);
    screen.view[1].backend.draw = ignore;
    scene_play(scene_find("long-line"), (struct event_sink){ screen_receive, &screen });
    parts = screen.state.badram_parts;
    assert_true(parts > screen_result_parts(&screen.state, &screen.view[0].backend));
    for (size_t part = 0; part < parts; part++) {
        for (unsigned row = (unsigned)find("The badram line") + 1; row < shown.rows - 1; row++) {
            const char *text = row_text(row);

            if (is_of_line(text) && !strstr(seen, text + 1))
                strcat(seen, text + 1);
        }
        screen_next_part(&screen);
    }
    assert_string_equal(seen, screen.state.badram.line);

    play_on(shown_of(128, 40, true), "measured-8");
    screen_add_view(&screen, shown_of(80, 24, false), 0);
    screen.view[1].backend.draw = ignore;
    screen_turn(&screen, SCREEN_DETAILS);
    parts = screen_pages_count(&screen.state, SCREEN_DETAILS);
    assert_true(parts > 5);
    assert_shows("page 1 of 5");
    while (--parts)
        screen_next_part(&screen);
    assert_shows("page 5 of 5");
    screen_next_part(&screen);
    assert_shows("page 1 of 5");
}

/* Features that hide faults are beside the memory, if there is room for all of them. */
TEST(ecc_and_repairs_are_beside_the_memory, start)
{
    static const uint64_t gib64 = UINT64_C(64) << 30;
    static const struct {
        uint64_t installed_bytes;
        enum memory_ecc_state ecc;
        unsigned repair;
        uint64_t side_cache_bytes;
        const char *shown;
    } cases[] = {
        { gib64, MEMORY_ECC_ON, 0, 0,
          "63.3 GiB of RAM, 63.3 GiB to test, 64 GiB installed, ECC on " },
        { gib64, MEMORY_ECC_OFF, 0, 0,
          "63.3 GiB of RAM, 63.3 GiB to test, 64 GiB installed, ECC off " },
        { gib64, MEMORY_ECC_UNUSED, 0, 0,
          "63.3 GiB of RAM, ECC off, although the modules have it " },
        { gib64, MEMORY_ECC_UNKNOWN, 0, 0, "63.3 GiB of RAM, 63.3 GiB to test, 64 GiB installed " },
        { 0, MEMORY_ECC_UNKNOWN, MEMORY_REPAIR_ON_DIE_ECC, 0,
          "63.3 GiB of RAM, 63.3 GiB to test, on-die ECC " },
        { 0, MEMORY_ECC_ON, MEMORY_REPAIR_MIRRORING, 0,
          "63.3 GiB of RAM, 63.3 GiB to test, ECC on, mirroring " },
        { gib64, MEMORY_ECC_ON, MEMORY_REPAIR_ON_DIE_ECC, 0,
          "63.3 GiB of RAM, 64 GiB installed, ECC on, on-die ECC " },
        { gib64, MEMORY_ECC_ON, 15, 0,
          "63.3 GiB of RAM, 63.3 GiB to test, 64 GiB installed, ECC on " },
        { 0, MEMORY_ECC_UNKNOWN, 0, 8 << 20,
          "63.3 GiB of RAM, 63.3 GiB to test, 8 MiB side cache " },
        { gib64, MEMORY_ECC_ON, 0, 8 << 20,
          "63.3 GiB of RAM, 64 GiB installed, ECC on, 8 MiB side cache " },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        play("two-nodes-faults");
        SEND(EVENT_MACHINE, .machine = { .cpu = "A CPU",
                                         .isa = "sse2",
                                         .cpus = 1,
                                         .nodes = 1,
                                         .ram_bytes = gib64 - (UINT64_C(700) << 20),
                                         .testable_bytes = gib64 - (UINT64_C(712) << 20),
                                         .installed_bytes = cases[i].installed_bytes,
                                         .ecc = { cases[i].ecc, "smbios" },
                                         .repair = cases[i].repair,
                                         .side_cache = { cases[i].side_cache_bytes, "cpu" } });
        assert_shows(cases[i].shown);
    }
}

TEST(a_running_screen, start)
{
    play("two-nodes-faults");
    assert_shows("okram 0.1.0");
    assert_shows("BIOS, GRUB 2.06-13");
    assert_shows("AMD EPYC 7763 64-Core Processor");
    assert_shows("16 CPUs, avx2");
    assert_shows("63.3 GiB of RAM, 63.3 GiB to test, 64 GiB installed");
    assert_string_equal(
        row_text((unsigned)find("Node") + 1),
        "       0   0-3,8-11         32.0 GiB      40123     21978       24074     13183");
    assert_shows("3 of 9          23457 MB/s");
    assert_shows("Pass 1 of 2");
    assert_shows("45 %   elapsed   0:01:40");
    assert_shows("22 %      left   0:05:45");
    assert_shows("7 faults in 3 bad pages, failing bits 0x8000000000000100 (8,63)");
    assert_int_equal(find("0x0001234bc030"), find("address") + 1); /* the newest comes first */
    assert_shows("3 patterns, 3 pages (12 KiB) sacrificed");
    assert_string_equal(row_text((unsigned)find("badram=")),
                        " badram=0x123456000,0xffffffffff000,0x124457000,0xffffffffff000,");
    assert_string_equal(row_text((unsigned)find("badram=") + 1), " 0x125458000,0xffffffffff000");
    assert_shows("q stop   r report   l lines");
}

static void send_keys(struct event_keys keys)
{
    SEND(EVENT_KEYS, .keys = keys);
}

/* Until one is plugged in, or a key is heard from elsewhere. */
TEST(without_a_keyboard_no_keys_are_offered, start)
{
    static const struct {
        struct event_keys keys;
        const char *says;
    } cases[] = {
        { { false, true, true },
          " No keyboard answers. Press the power button briefly to stop (serial port: q)." },
        { { false, true, false }, " No keyboard answers. Press the power button briefly to stop." },
        { { false, false, true },
          " No keyboard answers. To stop, press q on the serial port, or switch off." },
        { { false, false, false }, " No keyboard answers. To stop, switch the machine off." },
    };

    play("two-nodes-faults");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        send_keys(cases[i].keys);
        assert_string_equal(row_text(SHOWN_ROWS - 1), cases[i].says);
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_string_equal(row_text(SHOWN_ROWS - 1), cases[i].says);
        screen_turn(&screen, SCREEN_BANDWIDTH);
    }
    send_keys((struct event_keys){ .answers = true });
    assert_shows("q stop   r report   l lines");
    send_keys(cases[0].keys);
    screen_key_pressed(&screen);
    assert_shows("q stop   r report   l lines");
}

TEST(without_a_keyboard_at_the_end, start)
{
    play("clean-pass");
    send_keys((struct event_keys){ .power_button = true });
    assert_string_equal(
        row_text(SHOWN_ROWS - 1),
        " The run has ended. No keyboard answers: hold the power button to switch off.");
    for (enum kept_phase phase = KEPT_BEGUN; phase <= KEPT_DONE; phase++) {
        SEND(EVENT_REPORT_SAVED, .kept = { phase, .boots_okram = true });
        assert_true(find("key x") < 0);
    }
    screen.state.turns_itself = true;
    screen_redraw(&screen);
    assert_string_equal(row_text(SHOWN_ROWS - 1),
                        " The run has ended. Pages turn by themselves; no keyboard answers.");
    screen_key_pressed(&screen);
    assert_shows("x restart");
}

TEST(remote_is_the_slowest_of_the_others, start)
{
    play("eight-nodes"); /* node 0 from CPUs of node n: 21987.6 - 10 n */
    assert_string_equal(row_text(4) + 49, "   21918       24074     13123");
}

TEST(more_nodes_than_rows, start)
{
    play("twelve-nodes");
    assert_shows("and 5 more nodes, in the report");
    assert_shows("warning: CPU 7 (APIC 14)"); /* no fault needs the room */
}

/* The page of results has more of each; the main page has it, too. */
TEST(verdicts_on_the_main_page, start)
{
    static const struct {
        const char *scene, *says;
        uint8_t background;
    } cases[] = {
        { "clean-pass", "PASS: no fault found", GREEN },
        { "fail", "FAIL: 2 bad pages, 900 faults", RED },
        { "stopped", "STOPPED: no fault in the tests that ended (address, march-c-)", BROWN },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        play(cases[i].scene);
        assert_int_equal(grid_at(&shown, 0, 4)->colour >> 4, cases[i].background);
        screen_next_part(&screen);
        assert_shows("Node");
        assert_shows("Tested: 31 GiB");
        assert_shows("What to do: see page 1 (space).");
        assert_int_equal(grid_at(&shown, 0, find(cases[i].says))->colour >> 4, cases[i].background);
    }
}

/* It may concern a person more than the keys. */
TEST(a_warning_after_the_result_is_visible, start)
{
    const char *text = "cannot power off: the machine ignored ACPI's S5; switch it off by hand";

    play("fail");
    for (int i = 0; i < SCREEN_WARNINGS_MAX; i++)
        SEND(EVENT_WARNING, .warning = "another");
    SEND(EVENT_WARNING, .warning = text);
    assert_string_equal(row_text(SHOWN_ROWS - 1) + 1, text);
    assert_shows("FAIL: ");
}

/* However long, every character of the line comes into sight, in order, by turning the parts. */
TEST(a_long_line_is_shown_in_parts, start)
{
    static const size_t patterns[] = { 1, 2, 20, 21, 22, 23, 24, 64, COVER_PATTERNS_MAX };

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct scene s = { .nodes = i % 2 ? 8 : 1,
                           .n_patterns = patterns[i],
                           .n_faults = 9,
                           .phase = "test",
                           .ended = true };
        static char seen[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];
        size_t n_parts, n = 0;

        start(NULL);
        scene_play(&s, (struct event_sink){ screen_receive, &screen });
        n_parts = screen.state.badram_parts;
        for (size_t part = 0; part < n_parts; part++) {
            for (unsigned row = (unsigned)find("The badram line") + 1; row < SHOWN_ROWS - 1;
                 row++) {
                const char *text = row_text(row);

                if (is_of_line(text))
                    n += (size_t)sprintf(seen + n, "%s", text + 1);
            }
            if (n_parts > 1) {
                char note[120];

                sprintf(note, "part %zu of %zu (space: next). The whole line is on the serial port",
                        part + 1, n_parts);
                assert_shows(note);
                assert_shows("space next");
            }
            screen_next_part(&screen);
        }
        assert_string_equal(seen, screen.state.badram.line);
        assert_int_equal(screen.state.badram_part, 0);
        assert_true(n_parts > 1 || patterns[i] < 10);
    }
}

static void send_line(const char *name, const char *text, bool asked)
{
    SEND(EVENT_LINE, 4001, .line = { name, "Place of it", text, "1 page given up", asked });
}

TEST(the_reports_other_lines_stand_below_the_badram_line, start)
{
    play("fail");
    send_line("memmap", "memmap=4K%0x5000000-1+5", false);
    send_line("cutmem", "", false); /* there is none */
    send_line("windows", "bcdedit one\nbcdedit two", false);
    assert_int_equal(find("memmap=4K%"), find("badram=0x") + 1);
    assert_string_equal(row_text((unsigned)find("memmap=4K%")), " memmap=4K%0x5000000-1+5");
    assert_int_equal(find("bcdedit one"), find("memmap=4K%") + 1);
    assert_int_equal(find("bcdedit two"), find("memmap=4K%") + 2);
    assert_shows("The badram line");
    assert_shows("l lines");
}

/* The badram line itself may be whole. */
TEST(other_lines_that_have_no_room_are_all_in_the_report, start)
{
    play("fail");
    for (int i = 0; i < 12; i++)
        send_line("windows", "bcdedit one\nbcdedit two\nbcdedit three", false);
    assert_shows("(space: next). All lines are on the serial port");
}

TEST(a_line_that_was_asked_for_takes_the_place, start)
{
    struct event e = { EVENT_BADRAM, 91, .badram = { .line = "badram=0x7000,0x7000" } };
    static struct cover cover;

    play("two-nodes-faults");
    assert_shows("l lines");
    send_line("xen", "badpage=0x5", true);
    assert_int_equal(find("badpage=0x5"), find("Place of it") + 1);
    assert_string_equal(row_text((unsigned)find("badpage=0x5")), " badpage=0x5");
    assert_string_equal(row_text((unsigned)find("badpage=0x5") + 1), " (1 page given up)");
    assert_true(find("badram=") < 0 && find("The badram line") < 0);

    e.badram.cover = &cover; /* a new cover meanwhile does not take it away */
    send(e);
    assert_shows("badpage=0x5");
    send_line("cutmem", "", true);
    assert_string_equal(row_text((unsigned)find("Place of it") + 1), " (1 page given up)");
    send_line("grub", "badram=0x7000,0x7000", true);
    assert_int_equal(find("badram=0x7000"), find("The badram line so far") + 1);

    send_line("xen", "badpage=0x5", true);
    e.badram.final = true; /* in the end what counts is in sight */
    send(e);
    assert_shows("badram=0x7000");
    assert_true(find("badpage=0x5") < 0);
}

/* Of a text of many rows, too; asked for again, it begins again. */
TEST(a_long_other_line_is_shown_in_parts, start)
{
    static const char text[] =
        "row 1\nrow 2\nrow 3\nrow 4\nrow 5\nrow 6\nrow 7\nrow 8\nrow 9\nrow 10";

    play("two-nodes-faults");
    send_line("pages", text, true);
    assert_shows("row 1");
    assert_true(find("row 10") < 0 && find("on the serial port") < 0);
    while (find("row 10") < 0)
        screen_next_part(&screen);
    assert_true(screen.state.badram_part > 0);
    send_line("pages", text, true);
    assert_int_equal(screen.state.badram_part, 0);
}

TEST(without_a_report_the_screen_does_not_promise_one, start)
{
    play("long-line");
    screen.state.report_place = NULL;
    screen_redraw(&screen);
    assert_true(find("on the serial port") < 0);
    assert_shows("patterns=8 makes it shorter");
}

TEST(warnings_get_what_room_there_is, start)
{
    play("warnings");
    assert_shows("warning: no SRAT table: all memory is taken as one node");
    assert_shows("0x9f000-0xa0000"); /* wrapped */
    assert_shows("and 8 more warnings: key s");
    play("stopped");
    assert_int_equal(find("warning: no SRAT"), SHOWN_ROWS - 2);
    assert_true(find("  and ") < 0);
}

/* 230 characters, of the words "word 1 ", "word 2 ", ... */
static const char *sentence(void)
{
    static char text[231];
    size_t n = 0;

    for (unsigned i = 1; n < 230; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "word %u ", i);
    text[229] = '!';
    return text;
}

TEST(a_long_finding_is_wrapped_not_cut, start)
{
    for (unsigned nodes = 1; nodes <= 9; nodes++) {
        struct scene s = { .nodes = nodes, .phase = "test", .ended = nodes % 2 };
        char together[SHOWN_ROWS * SHOWN_COLUMNS] = "", whole[260];

        start(NULL);
        scene_play(&s, (struct event_sink){ screen_receive, &screen });
        SEND(EVENT_WARNING, 1, .warning = sentence());
        assert_int_equal(find("warning: word 1 word 2"), SHOWN_ROWS - 5);
        for (unsigned row = SHOWN_ROWS - 5; row < SHOWN_ROWS - 1; row++)
            strcat(together, row_text(row));
        snprintf(whole, sizeof(whole), " warning: %s", sentence());
        /* A row ends with its last word: what parts them is only to be seen between rows. */
        for (char *from = whole, *in = together; *from; from++) {
            if (*from == *in)
                in++;
            else
                assert_int_equal(*from, ' ');
        }
        assert_shows(s.ended ? "PASS: no fault" : "no fault so far");
    }
}

TEST(with_faults_the_badram_line_comes_before_a_warning, start)
{
    play("eight-nodes");
    SEND(EVENT_WARNING, 1, .warning = sentence());
    assert_shows("badram=0x");
    assert_int_equal(find("warning: word 1"), SHOWN_ROWS - 2);
    assert_int_equal(find("... (key s)"), SHOWN_ROWS - 2);
    assert_shows("s more"); /* where it is whole */
}

TEST(odd_numbers_do_no_harm, start)
{
    struct event e = { EVENT_PROGRESS, 1,
                       .progress = { "test", "march={any(w0);up(r0,w1);down(r1,w0);up(r0)}", 1, 0,
                                     0, UINT32_MAX, 7, 0, 1e15, 1e12, -1, UINT64_MAX, UINT64_MAX,
                                     UINT64_MAX } };

    send(e);
    assert_shows("until stopped");
    assert_shows("unknown");
    e.progress.seconds_left = 1e12;
    send(e);
    assert_shows("50 %");
    for (uint64_t i = 0; i < 30; i++)
        SEND(EVENT_FAULT, 1, .fault = { UINT64_MAX - 7, UINT64_MAX, 0, "x", 1, UINT32_MAX, 0 });
    SEND(EVENT_EXTERNAL, 1, .external = { .addr = 8 });
    assert_shows("1 line changed by a device or firmware: no fault");
    SEND(EVENT_MCE, 1, .mce = { .corrected = true });
    assert_shows("64 bits");
    assert_shows("machine check");
    SEND(EVENT_START, 1, .start = { "9", "uefi", "", "" });
    assert_string_equal(row_text(0) + 75, "UEFI");
}

TEST(errors_that_firmware_reports, start)
{
    struct cper_memory m = { .severity = ERROR_INFORMATION };

    SEND(EVENT_CPER, 1, .cper = { 1, &m, 1 });
    SEND(EVENT_START, 1, .start = { "9", "uefi", "", "" });
    assert_shows("no fault so far");
    m.severity = ERROR_CORRECTED;
    SEND(EVENT_CPER, 1, .cper = { 1, &m, 1 });
    SEND(EVENT_START, 1, .start = { "9", "uefi", "", "" });
    assert_shows("1 report by firmware");
    assert_shows("ECC reports errors of memory (by firmware); no other fault");
}

TEST(a_fault_waits_for_the_next_event, start)
{
    static struct grid before;

    play("two-nodes-faults");
    before = shown;
    SEND(EVENT_FAULT, 1, .fault = { .addr = 8, .test = "x" });
    assert_memory_equal(&before, &shown, sizeof(shown));
    SEND(.type = EVENT_MCE);
    assert_shows("0x000000000008");
}

static struct event alias_of(uint64_t pages)
{
    return (struct event){ EVENT_ALIAS, 1,
                           .alias = { { .addr = pages << PAGE_SHIFT,
                                        .address_bits = pages << PAGE_SHIFT,
                                        .pages = pages,
                                        .upper = { pages << PAGE_SHIFT, pages << PAGE_SHIFT },
                                        .lower = { 0, pages << PAGE_SHIFT } },
                                      "address",
                                      1 } };
}

TEST(the_largest_alias_stands_above_the_faults, start)
{
    static const uint64_t pages[] = { 0x4000, 0x10000, 0x8000 };

    play("two-nodes-faults");
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct event e = alias_of(pages[i]);

        send(e);
    }
    assert_int_equal(find("0x10000000-0x1fffffff aliases 0x0-0xfffffff (65536 pages"),
                     find("7 faults in") + 1);
    assert_true(find("0x4000000-") < 0 && find("0x8000000-") < 0);
    assert_int_equal(find("0x0001234bc030"), find("address  ") + 1);
    assert_shows("The badram line so far");
}

/* However little room there is: a fault and the badram line are still there. */
TEST(an_alias_takes_no_more_than_its_row, start)
{
    struct event e = alias_of(0x10000);

    for (size_t i = 0; i < n_scenes; i++) {
        if (!scenes[i].n_patterns)
            continue;
        start(NULL);
        scene_play(&scenes[i], (struct event_sink){ screen_receive, &screen });
        send(e);
        while (screen.state.shown == SCREEN_RESULT)
            screen_next_part(&screen);
        assert_int_equal(find("0x10000000-0x1fffffff"), find(" bad pages, failing") + 1);
        assert_shows("badram=");
        assert_true(find("0x10000000-0x1fffffff") < find("The badram line"));
    }
}

TEST(wrong_options_are_named_first, start)
{
    struct event e = { EVENT_PROGRESS, 1, .progress = { PROGRESS_WRONG_OPTIONS, "" } };

    SEND(EVENT_WARNING, .warning = "option x is unknown");
    send(e);
    assert_shows("OPTIONS ARE WRONG: READ THE WARNINGS BELOW");
    assert_shows("The tests begin in 10 s, without these options.");
    assert_shows("warning: option x is unknown");
    e.progress.phase = "bandwidth";
    send(e);
    assert_true(find("OPTIONS ARE WRONG") < 0);
}

TEST(bad_pages_without_a_fault, start)
{
    struct event e = { EVENT_PROGRESS, 1, .progress = { "test", "address", 1, 1, .n_tests = 1 } };

    send(e);
    assert_shows("no fault so far");
    e.progress.bad_pages = 2;
    send(e);
    assert_shows("2 bad pages");
    assert_true(find("0 faults") < 0 && find("ECC") < 0);
    SEND(EVENT_MCE, .mce = { .of_memory = true });
    assert_shows("2 bad pages, by errors that ECC reported");
    assert_true(find("no fault so far") < 0);
}

/* Wrong bits of encrypted memory mean nothing. */
TEST(no_bits_of_encrypted_memory, start)
{
    struct event e = { EVENT_PROGRESS, 100, .progress = { "test", "march-c-", 1, 1, 2, 9 } };

    play("two-nodes-faults");
    assert_true(find("bits") > 0);
    e.progress.faults = 7;
    e.progress.bad_pages = 3;
    e.progress.failing_bits = UINT64_MAX;
    e.progress.is_encrypted = true;
    send(e);
    assert_shows("7 faults in 3 bad pages, bits: not shown, memory is encrypted");
    assert_true(find("bits      test") < 0 && find("(8,63)") < 0 && find("64 bits") < 0);
    assert_shows("test             CPU");
}

#define MS     1000
#define NO_KEY KEY_NONE

/* At each time a key comes; which is then acted on. */
struct press {
    uint64_t ms;
    int key, acts;
};

static void check_presses(const char *scene, enum key_from from, const struct press *press,
                          size_t n)
{
    play(scene);
    for (size_t i = 0; i < n; i++) {
        int acts = screen_confirm(&screen, press[i].key, from, press[i].ms * MS);

        if (acts != press[i].acts)
            fail_msg("%s, %lu ms: %d, not %d", scene, press[i].ms, acts, press[i].acts);
    }
}

#define PRESSES(...)                                                                               \
    (const struct press[]){ __VA_ARGS__ },                                                         \
        sizeof((const struct press[]){ __VA_ARGS__ }) / sizeof(struct press)

TEST(keys_that_end_something_are_pressed_twice)
{
    check_presses("warnings", KEY_FROM_KEYBOARD,
                  PRESSES({ 10, 'q', NO_KEY }, { 60, NO_KEY, NO_KEY }, { 90, 'q', 'q' }));
    check_presses("warnings", KEY_FROM_KEYBOARD, /* too late: asked again */
                  PRESSES({ 10, 'q', NO_KEY }, { 5010, 'q', NO_KEY }, { 10009, 'q', 'q' }));
    check_presses("warnings", KEY_FROM_KEYBOARD, /* another key: no more */
                  PRESSES({ 10, 'q', NO_KEY }, { 20, 'r', 'r' }, { 30, 'q', NO_KEY },
                          { 40, 'n', NO_KEY }, { 50, 'q', NO_KEY }, { 60, 'q', 'q' }));
    check_presses("bandwidth", KEY_FROM_KEYBOARD, PRESSES({ 10, 'n', 'n' }));
    check_presses("fail", KEY_FROM_KEYBOARD,
                  PRESSES({ 10, 'q', 'q' }, { 10, 'x', NO_KEY }, { 20, 'x', 'x' }));
    check_presses("warnings", KEY_FROM_PROGRAM, PRESSES({ 10, 'q', 'q' }, { 20, 'n', 'n' }));
}

TEST(a_key_held_on_a_terminal_is_one_press)
{
    struct press held[100] = { { 10, 'q', NO_KEY }, { 510, 'q', NO_KEY } };

    for (size_t i = 2; i < 99; i++)
        held[i] = (struct press){ held[i - 1].ms + (i % 2 ? 33 : 250), 'q', NO_KEY };
    held[99] = (struct press){ held[98].ms + 2000, NO_KEY, NO_KEY };
    check_presses("warnings", KEY_FROM_TERMINAL, held, 100);
    assert_int_equal(screen_confirm(&screen, 'q', KEY_FROM_TERMINAL, held[99].ms * MS), NO_KEY);
    assert_int_equal(screen_confirm(&screen, NO_KEY, KEY_FROM_TERMINAL, (held[99].ms + 300) * MS),
                     'q');
}

TEST(twice_on_a_terminal)
{
    check_presses("warnings", KEY_FROM_TERMINAL,
                  PRESSES({ 10, 'q', NO_KEY }, { 50, 'q', NO_KEY }, { 349, NO_KEY, NO_KEY },
                          { 350, NO_KEY, 'q' }, { 360, NO_KEY, NO_KEY }));
    check_presses("warnings", KEY_FROM_TERMINAL,
                  PRESSES({ 10, 'q', NO_KEY }, { 4000, 'q', NO_KEY }, { 4300, NO_KEY, 'q' }));
    check_presses("warnings", KEY_FROM_TERMINAL,
                  PRESSES({ 10, 'q', NO_KEY }, { 500, 'q', NO_KEY }, { 600, ' ', ' ' },
                          { 900, NO_KEY, NO_KEY }));
}

/* What was asked about while the run ended is no question any more. */
TEST(the_end_answers)
{
    play("warnings");
    screen_confirm(&screen, 'q', KEY_FROM_KEYBOARD, 10 * MS);
    assert_shows("Press q again to stop");
    SEND(EVENT_RESULT, .result = { .verdict = VERDICT_PASS, .complete = true });
    assert_int_equal(screen_confirm(&screen, NO_KEY, KEY_FROM_KEYBOARD, 20 * MS), NO_KEY);
    assert_true(find("Press q again") < 0);
    screen_confirm(&screen, 'x', KEY_FROM_KEYBOARD, 30 * MS);
    assert_shows("LOST WITH A RESTART, except on the serial port");
    screen_confirm(&screen, NO_KEY, KEY_FROM_KEYBOARD, 5030 * MS);
    assert_true(find("LOST") < 0);
}
