// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/scenes_measured.h"
#include "screen/screen_pages.h"

static void assert_row(unsigned row, const char *text)
{
    assert_string_equal(row_text(row), text);
}

/* Turns the pages until one has this in its heading. */
static void turn_to(const char *heading)
{
    if (screen.state.shown < SCREEN_FIRST_KIND)
        screen_turn(&screen, SCREEN_MEASURED);
    for (size_t i = 0; i <= screen_pages_count(&screen.state, SCREEN_MEASURED); i++) {
        if (strstr(row_text(1), heading))
            return;
        screen_next_part(&screen);
    }
    fail_msg("no page: %s", heading);
}

static void play_and_turn_to(const char *scene, const char *heading)
{
    play(scene);
    turn_to(heading);
}

static void send(struct event e)
{
    screen_receive(&screen, &e);
}

static void without_data_there_is_no_page(void **state)
{
    play("bandwidth");
    assert_true(find("b  ") < 0);
    screen_turn(&screen, SCREEN_MEASURED);
    assert_shows("measuring bandwidth");
    assert_null(screen_pages_name(&screen.state, SCREEN_MEASURED));
    send((struct event){ EVENT_WARNING, 1, .warning = "late" });
    assert_shows("b  warnings");
    send((struct event){ EVENT_CACHE, 1, .cache = { 1, 1024, 1, 1 } });
    assert_shows("b  bandwidth");
    screen_turn(&screen, SCREEN_MEASURED);
    assert_shows("Caches and memory");

    start(NULL); /* the first section without data is passed over */
    send((struct event){ EVENT_WARNING, 1, .warning = "late" });
    screen_turn(&screen, SCREEN_MEASURED);
    assert_shows("page 1 of 1");
    assert_shows("warning: late");
    assert_true(find("space") < 0);
}

static void every_page_is_painted_and_numbered(void **state)
{
    static const struct {
        const char *scene;
        size_t pages;
    } cases[] = {
        { "measured-1", 7 },  { "measured-2", 8 },   { "measured-4", 11 },
        { "measured-8", 22 }, { "measured-12", 23 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        play(cases[i].scene);
        assert_shows("b  bandwidth");
        screen_turn(&screen, SCREEN_MEASURED);
        for (size_t page = 1; page <= cases[i].pages; page++) {
            char number[32];

            snprintf(number, sizeof(number), "page %zu of %zu", page, cases[i].pages);
            assert_true(strstr(row_text(0), number) != NULL);
            assert_true(strstr(row_text(0), "okram 0.1.0   bandwidth") != NULL);
            assert_shows("Memory test: ");
            assert_shows("b  back    space  next page");
            for (unsigned row = 0; row < SHOWN_ROWS; row++)
                for (unsigned column = 0; column < SHOWN_COLUMNS; column++) {
                    uint8_t code = grid_at(&shown, column, row)->code;

                    assert_true((code >= ' ' && code <= '~') || code == GLYPH_DOT ||
                                code == GLYPH_RULE || code == GLYPH_SQUARE);
                }
            screen_next_part(&screen);
        }
        assert_true(strstr(row_text(0), "page 1 of ") != NULL);
    }
}

/* A text row as find wants it: squares and dots of bars are not ASCII. */
static unsigned squares(unsigned row, unsigned from, unsigned to)
{
    unsigned n = 0;

    for (unsigned column = from; column < to; column++)
        n += grid_at(&shown, column, row)->code == GLYPH_SQUARE;
    return n;
}

static void assert_begins(unsigned row, const char *text)
{
    char begin[SHOWN_COLUMNS + 1] = "";

    strncat(begin, row_text(row), strlen(text));
    assert_string_equal(begin, text);
}

static void caches_and_idle_latency(void **state)
{
    play_and_turn_to("measured-2", "Caches and memory");
    assert_row(2, "              size        MB/s                               ns");
    assert_begins(3, " L1         32 KiB    123456.8");
    assert_begins(6, " memory    256 MiB     17321.9");
    assert_int_equal(squares(3, 30, 53), 22);
    assert_int_equal(squares(6, 30, 53), 3); /* 17321.9 of 123456.8 */
    assert_int_equal(squares(3, 64, 79), 1); /* not nothing */
    assert_int_equal(squares(6, 64, 79), 15);
    assert_true(strstr(row_text(8), "Idle latency, ns") != NULL);
    assert_row(9, "              0       1");
    assert_row(10, "     0     91.2   143.8");
    assert_row(11, "     1    144.8    91.2");

    start(NULL); /* bandwidth=quick of an older kind: no latency */
    send((struct event){ EVENT_CACHE, 1, .cache = { 1, 32768, 1000, 0 } });
    turn_to("Caches");
    assert_begins(3, " L1         32 KiB      1000.0");
    assert_int_equal(grid_at(&shown, 62, 3)->code, '-');
    assert_int_equal(squares(3, 64, 79), 0);
}

static void latency_by_size(void **state)
{
    play_and_turn_to("measured-1", "Latency by size");
    assert_begins(3, "    16 KiB       1.2 L1 ");
    assert_begins(6, "    48 KiB       2.5 L2 "); /* told after 64 KiB: the order is by size */
    assert_begins(7, "    64 KiB       3.7 L2 ");
    assert_int_equal(strncmp(row_text(12) + 41, "  256 MiB      91.2    ", 23), 0);
    assert_int_equal(squares(12, 40, 79), squares(8, 40, 79)); /* 64 MiB is memory, too */
    assert_int_equal(squares(3, 0, 40), 1);
}

/* One size is only the matrix; and however many there are, the first ones are shown and counted. */
static void a_curve_of_few_and_of_too_many_sizes(void **state)
{
    struct event e = { EVENT_LATENCY, 1, .latency = { 0, 0, 0, 5, "idle" } };

    for (uint64_t i = 1; i <= MEASURED_CURVE_MAX + 3; i++) {
        e.latency.size_bytes = (MEASURED_CURVE_MAX + 4 - i) << 20; /* the largest first */
        send(e);
        assert_int_equal(screen_pages_count(&screen.state, SCREEN_MEASURED), i < 2     ? 0
                                                                             : i <= 38 ? 1
                                                                             : i <= 76 ? 2
                                                                                       : 3);
    }
    turn_to("Latency by size");
    assert_begins(3, "     1 MiB       5.0");
    assert_shows("and 3 more, in the report");
    send(e); /* told again: counted once */
    assert_shows("and 3 more, in the report");
    e.latency.load = "CPUs of node 1 read node 0";
    e.latency.size_bytes = 1;
    send(e);
    assert_begins(3, "     1 MiB       5.0");
}

static void one_pair_of_nodes_is_a_table(void **state)
{
    play_and_turn_to("measured-1", "Bandwidth");
    assert_row(2, "           8 CPUs                               1 CPU");
    assert_row(3, "               MB/s    stddev                       MB/s    stddev");
    assert_begins(4, " read       40123.4      50.2");
    assert_begins(9, " triad      31697.5      39.6");
    assert_int_equal(squares(4, 30, 42), 12);
    assert_int_equal(strncmp(row_text(4) + 45, "    16049.4      20.1", 21), 0);
}

static void matrices(void **state)
{
    play_and_turn_to("measured-2", "Bandwidth, MB/s");
    assert_row(2, " read, all CPUs          write, all CPUs         copy, all CPUs");
    assert_row(3, "              0       1               0       1               0       1");
    assert_row(4, "     0    40123   22088      0    24074   13253      0    28086   15461");
    assert_row(5, "     1    21978   40123      1    13187   24074      1    15384   28086");
    assert_row(12, " read, one CPU           write, one CPU          copy, one CPU");
    assert_int_equal(grid_at(&shown, 10, 4)->colour & 15, LIGHT_GREEN); /* local */
    assert_int_equal(grid_at(&shown, 18, 4)->colour & 15, WHITE);

    play_and_turn_to("measured-8", "Bandwidth, MB/s");
    assert_row(2, " read, all CPUs");
    assert_row(13, " write, all CPUs");
    assert_row(22, "     7    13151   13211   13271   13331   13391   13451   13511   24074");
    play_and_turn_to("measured-12", "first 8 of 12 nodes");
}

/* A node without CPUs has no row, one without memory no column, and what is missing shows. */
static void odd_nodes(void **state)
{
    struct event read = { EVENT_BANDWIDTH, 1,
                          .bandwidth = { 5, 5, "read", 1, 5, { .mean = 1000 } } };

    for (uint32_t n = 5; n < 8; n++)
        send((struct event){ EVENT_NODE, 1, .node = { .node = n } });
    send(read);                  /* a CPU, and memory */
    read.bandwidth.mem_node = 7; /* memory only */
    send(read);
    read.bandwidth.cpu_node = 6; /* a CPU only */
    read.bandwidth.mem_node = 5;
    send(read);
    read.bandwidth.mem_node = 99; /* never told of */
    send(read);
    turn_to("Bandwidth, MB/s");
    assert_row(2, " read, all CPUs");
    assert_row(3, "              5       7");
    assert_row(4, "     5     1000    1000");
    assert_row(5, "     6     1000       -");
    assert_row(6, ""); /* one CPU is all CPUs: no second matrix */
    assert_int_equal(screen_pages_count(&screen.state, SCREEN_MEASURED), 1);
}

/* Whichever comes first: the main page and the matrix show what all CPUs of a node reach. */
static void one_cpu_does_not_hide_all(void **state)
{
    struct event all = { EVENT_BANDWIDTH, 1,
                         .bandwidth = { 0, 0, "read", 8, 5, { .mean = 40000 } } };
    struct event one = { EVENT_BANDWIDTH, 1,
                         .bandwidth = { 0, 0, "read", 1, 5, { .mean = 9000 } } };
    struct event step = { EVENT_BANDWIDTH, 1,
                          .bandwidth = { 0, 0, "read", 16, 5, { .mean = 80000 }, "fill" } };

    for (int first = 0; first < 2; first++) {
        start(NULL);
        send((struct event){ EVENT_NODE, 1, .node = { .node = 0, .ram_bytes = 1 << 30 } });
        send(first ? one : all);
        send(first ? all : one);
        send(step);
        assert_row(5, "       0   none                1 GiB      40000                     -");
        turn_to("Bandwidth");
        assert_begins(4, " read       40000.0       0.0");
        assert_int_equal(strncmp(row_text(4) + 45, "     9000.0       0.0", 21), 0);
    }
}

static void scaling(void **state)
{
    play_and_turn_to("measured-2", "Scaling of triad");
    assert_row(2, " fill: one node after the other          spread: round robin over the nodes");
    assert_row(3, " threads       MB/s   stddev             threads       MB/s   stddev");
    assert_begins(4, "       1    16049.4     20.1 ");
    assert_begins(19, "      16    80246.8    100.3 ");
    assert_int_equal(strncmp(row_text(6) + 41, "      3    48148.1     60.2", 27), 0);
    assert_int_equal(squares(4, 29, 39), 2); /* of 10: a fifth of the most */
    assert_int_equal(squares(19, 29, 39), 10);
    turn_to("Scaling of read");

    play_and_turn_to("measured-1", "Scaling of triad"); /* one node: fill alone, longer bars */
    assert_row(2, " fill: one node after the other");
    assert_int_equal(squares(11, 29, 79), 50);
}

static void scaling_beyond_a_page_and_beyond_what_is_kept(void **state)
{
    for (uint32_t t = 1; t <= MEASURED_STEPS_MAX + 2; t++)
        send((struct event){ EVENT_BANDWIDTH, 1,
                             .bandwidth = { 0, 0, "read", t, 5, { .mean = t }, "spread" } });
    assert_int_equal(screen_pages_count(&screen.state, SCREEN_MEASURED), 3);
    turn_to("Scaling of read");
    assert_row(2, " spread: round robin over the nodes");
    assert_begins(21, "      18       18.0");
    assert_shows("and 2 more, in the report");
    screen_next_part(&screen);
    assert_begins(4, "      19       19.0");
    screen_next_part(&screen);
    assert_begins(7, "      40       40.0");
    assert_row(8, "");
}

static void contention(void **state)
{
    play_and_turn_to("measured-2", "Contention");
    assert_row(2, " CPUs of  memory   loaded       MB/s                        ns");
    assert_row(3,
               "    node of node  by node       idle    loaded  slower    idle  loaded   slower");
    assert_row(4,
               "       0       0        1    40123.4   20061.7  50.0 %    91.2   136.8   50.0 %");
    assert_row(5,
               "       0       1        1    22087.6   11043.8  50.0 %   143.8   215.7   50.0 %");
    assert_row(8, "");

    play("measured-12"); /* 2 * 12 * 11 */
    turn_to("Contention");
    assert_shows("and 152 more, in the report");
}

static void loaded_latency(void **state)
{
    play_and_turn_to("measured-1", "Latency under load");
    assert_row(2, " load: reads                             load: 2 reads to 1 write");
    assert_row(3, "   load MB/s       ns                      load MB/s       ns");
    assert_begins(4, "       700.5     91.2 ");
    assert_begins(11, "     37100.5    314.6 ");
    assert_int_equal(squares(11, 22, 40), 17);
    assert_int_equal(squares(4, 22, 40), 5); /* 91.2 of 314.6 */
}

static void redundancy(void **state)
{
    struct event e = { EVENT_REDUNDANCY, 1,
                       .redundancy = { 0, 0, 1, "plain", 8, 5, { .mean = 100 }, 0 } };

    play_and_turn_to("measured-2", "Redundancy");
    assert_row(2, " CPUs of data on  copy on       plain     mirror               parity");
    assert_row(3,
               "    node    node     node        MB/s       MB/s     cost        MB/s      cost");
    assert_row(4,
               "       0       0        1     24074.0    12157.4   49.5 %     19235.2    20.1 %");
    assert_row(5,
               "       0       1        0     13252.6     6692.5   49.5 %     10588.8    20.1 %");

    start(NULL);
    for (uint32_t n = 0; n <= MEASURED_REDUNDANCIES_MAX; n++) {
        e.redundancy.mem_node = n;
        e.redundancy.kind = "plain";
        send(e);
        e.redundancy.kind = "mirror";
        send(e);
    }
    turn_to("Redundancy");
    assert_row(4, "       0       0        1       100.0      100.0    0.0 %           -");
    assert_row(21, "       0      17        1       100.0      100.0    0.0 %           -");
    assert_shows("and 1 more, in the report");
}

static void all_warnings_at_full_length(void **state)
{
    char text[400], row[64];
    size_t seen = 0;

    play("measured-12");
    assert_shows(" more"); /* not all of the 30 are on the main page */
    turn_to("Warnings");
    assert_row(2, " warning: no SRAT table: all memory is taken as one node");
    assert_row(3, " warning: memory map: 2 entries overlap; the stricter kind was taken for");
    assert_row(4, "          0x9f000-0xa0000");
    assert_shows("and 14 more, in the report");

    start(NULL);
    for (unsigned i = 0; i < SCREEN_WARNINGS_MAX; i++) {
        snprintf(text, sizeof(text), "number %u, ", i);
        while (strlen(text) < WARNING_TEXT_MAX - 4)
            strcat(text, "ah! ");
        snprintf(text + WARNING_TEXT_MAX - 5, 6, " end%c", (char)('A' + i));
        send((struct event){ EVENT_WARNING, 1, .warning = text });
    }
    turn_to("Warnings");
    for (size_t page = 0; page < screen_pages_count(&screen.state, SCREEN_MEASURED); page++) {
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

static void b_turns_and_keeps_the_page(void **state)
{
    play("measured-2");
    screen_turn(&screen, SCREEN_MEASURED);
    screen_next_part(&screen);
    screen_turn(&screen, SCREEN_MEASURED);
    assert_shows("memory test");
    screen_turn(&screen, SCREEN_MEASURED);
    assert_true(strstr(row_text(0), "page 2 of 8") != NULL);
    send((struct event){ EVENT_WARNING, 9, .warning = "late" }); /* one page more at the end */
    assert_true(strstr(row_text(0), "page 2 of 9") != NULL);
}

static void the_main_page_comes_back_for_what_counts(void **state)
{
    struct event fault = { EVENT_FAULT, 9, .fault = { .addr = 0x5000, .test = "x" } };
    struct event progress = { EVENT_PROGRESS, 9,
                              .progress = { "test", "march-c-", 1, 1, .n_tests = 9 } };

    play("measured-1");
    screen_turn(&screen, SCREEN_MEASURED);
    send(progress);
    assert_shows("Memory test: march-c-, 1 of 9, pass 1 at 0 %, no fault so far");
    send(fault);
    progress.progress.faults = progress.progress.bad_pages = 1;
    send(progress);
    assert_shows("1 fault in 1 bad page,");
    assert_shows("memory test");

    screen_turn(&screen, SCREEN_MEASURED); /* who has seen it may go on reading */
    send(fault);
    progress.progress.faults = 2;
    send(progress);
    assert_shows("Memory test: 2 faults in 1 bad page, see the main page");
    assert_int_equal(grid_at(&shown, 1, SHOWN_ROWS - 2)->colour & 15, LIGHT_RED);
    send((struct event){ EVENT_LINE, 9, .line = { "xen", "Xen", "badpage=0x5", "", true } });
    assert_shows("badpage=0x5");

    screen_turn(&screen, SCREEN_MEASURED);
    send((struct event){ EVENT_RESULT, 9, .result = { .status = "fail", .bad_pages = 1 } });
    assert_shows("FAIL: ");
    screen_turn(&screen, SCREEN_MEASURED); /* and at the end the keys work, too */
    assert_shows("Memory test: 0 faults in 1 bad page, see the main page");
    assert_true(find("q  stop") < 0);
}

static void how_the_test_is_doing(void **state)
{
    static const struct {
        const char *status, *says;
        bool complete;
        const char *reason;
    } ends[] = {
        { "pass", "Memory test: passed, no fault", true, NULL },
        { "pass", "Memory test: passed, but incomplete, no fault", false, NULL },
        { "stopped", "Memory test: stopped, no fault", true, NULL },
        { "error", "Memory test: nothing could be tested, no fault", false, REASON_NOTHING_TESTED },
        { "error", "Memory test: internal error, no fault", true, REASON_INTERNAL_ERROR },
    };

    send((struct event){ EVENT_CACHE, 1, .cache = { 1, 1024, 1, 1 } });
    screen_turn(&screen, SCREEN_MEASURED);
    assert_shows("Memory test: starting, no fault so far");
    send((struct event){ EVENT_PROGRESS, 1, .progress = { "bandwidth", "" } });
    assert_shows("Memory test: starts after the measurements, no fault so far");
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        send((struct event){ EVENT_RESULT, 9,
                             .result = { .status = ends[i].status,
                                         .complete = ends[i].complete,
                                         .reason = ends[i].reason } });
        screen_turn(&screen, SCREEN_MEASURED);
        assert_shows(ends[i].says);
    }
}

/* All six at once have to fit. */
static void the_keys_fit(void **state)
{
    struct scene s = {
        .nodes = 8, .n_patterns = 64, .n_faults = 9, .phase = "test", .measured = true
    };

    scene_play(&s, (struct event_sink){ screen_receive, &screen });
    assert_row(SHOWN_ROWS - 1,
               " q  stop    r  report    l  lines    space  next    b  bandwidth    c  QR code");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_data_there_is_no_page, start),
        cmocka_unit_test_setup(every_page_is_painted_and_numbered, start),
        cmocka_unit_test_setup(caches_and_idle_latency, start),
        cmocka_unit_test_setup(latency_by_size, start),
        cmocka_unit_test_setup(a_curve_of_few_and_of_too_many_sizes, start),
        cmocka_unit_test_setup(one_pair_of_nodes_is_a_table, start),
        cmocka_unit_test_setup(matrices, start),
        cmocka_unit_test_setup(odd_nodes, start),
        cmocka_unit_test_setup(one_cpu_does_not_hide_all, start),
        cmocka_unit_test_setup(scaling, start),
        cmocka_unit_test_setup(scaling_beyond_a_page_and_beyond_what_is_kept, start),
        cmocka_unit_test_setup(contention, start),
        cmocka_unit_test_setup(loaded_latency, start),
        cmocka_unit_test_setup(redundancy, start),
        cmocka_unit_test_setup(all_warnings_at_full_length, start),
        cmocka_unit_test_setup(b_turns_and_keeps_the_page, start),
        cmocka_unit_test_setup(the_main_page_comes_back_for_what_counts, start),
        cmocka_unit_test_setup(how_the_test_is_doing, start),
        cmocka_unit_test_setup(the_keys_fit, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
