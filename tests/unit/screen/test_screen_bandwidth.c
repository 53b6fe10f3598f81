// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/scenes_measured.h"

static void assert_row(unsigned row, const char *text)
{
    assert_string_equal(row_text(row), text);
}

static void play_and_turn(const char *scene)
{
    play(scene);
    screen_turn(&screen, SCREEN_BANDWIDTH);
}

/* A bar's squares. */
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

TEST(one_pair_of_nodes_is_a_table, start)
{
    play_and_turn("measured-1");
    assert_row(2, "             8 CPUs                                1 CPU");
    assert_begins(3, " read       40123.4");
    assert_begins(8, " triad      31697.5");
    assert_int_equal(squares(3, 20, 42), 22);
    assert_int_equal(strncmp(row_text(3) + 45, "    16049.4", 11), 0);
    assert_int_equal(squares(3, 57, 79), 8);
    assert_row(9, " latency       91.2 ns");
    assert_true(strstr(row_text(11), "Caches and memory") != NULL);
    assert_row(12, "              size        MB/s                               ns");
    assert_begins(13, " L1         32 KiB    123456.8");
    assert_begins(16, " memory    256 MiB     17321.9");
    assert_int_equal(squares(13, 30, 53), 22);
    assert_int_equal(squares(16, 30, 53), 3); /* 17321.9 of 123456.8 */
    assert_int_equal(squares(16, 64, 79), 15);
}

/* Those that fit, the most important first. */
TEST(matrices, start)
{
    play_and_turn("measured-2");
    assert_row(2, " read, MB/s              idle latency, ns        write, MB/s");
    assert_row(3, "              0       1               0       1               0       1");
    assert_row(4, "     0    40123   22088      0     91.2   143.8      0    24074   13253");
    assert_row(5, "     1    21978   40123      1    144.8    91.2      1    13187   24074");
    assert_row(7, " copy, MB/s              triad, MB/s");
    assert_shows("Caches and memory");
    assert_int_equal(grid_at(&shown, 10, 4)->colour & 15, LIGHT_GREEN); /* local */
    assert_int_equal(grid_at(&shown, 18, 4)->colour & 15, WHITE);

    play_and_turn("measured-4");
    assert_row(16, " triad, MB/s");
    assert_begins(21, "     3    17347   17426   17505   31697");
    assert_true(find("Caches") < 0); /* no room */
}

/* Of each place the pair and the load that add most. */
TEST(time_added_while_others_are_busy, start)
{
    struct event more = { EVENT_CONTENTION, 1,
                          .contention = { 1,
                                          1,
                                          0,
                                          0,
                                          "writes",
                                          1,
                                          1,
                                          { .more_percent = { 1, 8.7, 8.7, 0, 8.7, 8.7 } },
                                          { .more_percent = { 1, 1, 1, 0, 1, 1 } } } };

    play_and_turn("measured-2");
    assert_shows("Time added by a busy node, %");
    assert_row(19, "                                     reads         writes        latency");
    assert_row(20,
               " local memory; they use theirs         5.3    0.3     4.2    0.2     2.0    0.1");
    assert_row(21,
               " local memory; they use it, too       53.8    2.7    51.5    2.6    22.0    1.1");
    send(more);
    assert_row(20,
               " local memory; they use theirs         8.7            4.2    0.2     2.0    0.1");
    more.contention.read_mb_s.more_percent.mean = 6;
    send(more);
    assert_row(20,
               " local memory; they use theirs         8.7            4.2    0.2     2.0    0.1");
    more.contention.mem_node = more.contention.load_mem_node = 2; /* has no CPUs */
    send(more);
    assert_true(find("a node's without CPUs") < 0); /* no room for another row */
    assert_true(find("Time added") < 0);
    play_on(shown_of(80, 30, false), "measured-2");
    send(more);
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_shows("a node's without CPUs; so do they     6.0            1.0");
}

static void send_exchange(const char *share, uint32_t mem_node, double clean, double modified)
{
    struct event e = { EVENT_CACHE_TO_CACHE, 1,
                       .cache_to_cache = {
                           .share = share, .state = "clean", .mem_node = mem_node } };

    e.cache_to_cache.ns.mean = clean;
    send(e);
    e.cache_to_cache.state = "modified";
    e.cache_to_cache.ns.mean = modified;
    send(e);
}

/* Of two places of the lines, the first: the reader's own memory. */
TEST(lines_of_another_cache, start)
{
    SEND(EVENT_NODE, 1, .node = { .node = 0 });
    SEND(EVENT_CACHE, 1, .cache = { 1, 1024, { .mean = 1 }, { .mean = 1 } });
    screen_turn(&screen, SCREEN_BANDWIDTH);
    send_exchange("core", 0, 18, 21.5);
    send_exchange("none", 0, 180.2, 210.4);
    send_exchange("none", 1, 280.2, 310.4);
    assert_shows("Lines in another CPU's cache, ns");
    assert_shows("core               clean 18.0  modified 21.5");
    assert_shows("none              clean 180.2 modified 210.4");
    assert_true(find("280.2") < 0);
    play_on(shown_of(80, GRID_ROWS_MIN, false), "measured-1");
    for (size_t i = 0; i < 8; i++)
        send_exchange((const char[]){ 'a' + (char)i, '\0' }, 0, 1, 2); /* no more than are kept */
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_true(find("Lines in another") < 0); /* no room */
}

/* On every grid each node's bandwidth and latency have room. */
TEST(eight_nodes_and_more, start)
{
    for (unsigned rows = GRID_ROWS_MIN; rows <= 25; rows++) {
        play_on(shown_of(80, rows, false), "measured-8");
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_row(2, " read, MB/s");
        assert_row(11, "     7    21918   22018   22118   22218   22318   22418   22518   40123");
        assert_row(rows - 12, " idle latency, ns");
        assert_row(rows - 3,
                   "     7    150.8   150.8   150.8   150.8   150.8   150.8   150.8    91.2");
        assert_begins(rows - 2, " Memory test: ");
    }
    play_and_turn("measured-12");
    assert_shows("first 8 of 12 nodes");
}

/* A node without CPUs has no row, one without memory no column, and what is missing shows. */
TEST(odd_nodes, start)
{
    struct event read = { EVENT_BANDWIDTH, 1, .bandwidth = { 5, 5, "read", 1, { .mean = 1000 } } };

    for (uint32_t n = 5; n < 8; n++)
        SEND(EVENT_NODE, 1, .node = { .node = n });
    send(read);                  /* a CPU, and memory */
    read.bandwidth.mem_node = 7; /* memory only */
    send(read);
    read.bandwidth.cpu_node = 6; /* a CPU only */
    read.bandwidth.mem_node = 5;
    send(read);
    read.bandwidth.mem_node = 99; /* never told of */
    send(read);
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_row(2, " read, MB/s");
    assert_row(3, "              5       7");
    assert_row(4, "     5     1000    1000");
    assert_row(5, "     6     1000       -");
    assert_row(6, "");
}

/* Whichever comes first: both pages show what all CPUs of a node reach. */
TEST(one_cpu_does_not_hide_all, start)
{
    struct event all = { EVENT_BANDWIDTH, 1, .bandwidth = { 0, 0, "read", 8, { .mean = 40000 } } };
    struct event one = { EVENT_BANDWIDTH, 1, .bandwidth = { 0, 0, "read", 1, { .mean = 9000 } } };
    struct event step = { EVENT_BANDWIDTH, 1,
                          .bandwidth = { 0, 0, "read", 16, { .mean = 80000 }, "fill" } };

    for (int first = 0; first < 2; first++) {
        start(NULL);
        SEND(EVENT_NODE, 1, .node = { .node = 0, .ram_bytes = 1 << 30 });
        send(first ? one : all);
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_true(first || find("1 CPU") < 0);
        screen_turn(&screen, SCREEN_BANDWIDTH);
        send(first ? all : one);
        send(step);
        assert_row(5, "       0   none                1 GiB      40000                     -");
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_begins(3, " read       40000.0");
        assert_int_equal(strncmp(row_text(3) + 45, "     9000.0", 11), 0);
    }
}

/* Other measurements have no page: they are in the report, and this page says so. */
TEST(the_report_has_more, start)
{
    static const struct event more[] = {
        { EVENT_BANDWIDTH, 1, .bandwidth = { 0, 0, "read", 2, { .mean = 1 }, "fill" } },
        { EVENT_LATENCY, 1, .latency = { 0, 0, 1 << 20, { .mean = 5 }, "idle" } },
        { EVENT_LATENCY, 1,
          .latency = { 0, 0, 1 << 20, { .mean = 5 }, "CPUs", "reads", { .mean = 700 } } },
        { EVENT_CACHE_TO_CACHE, 1, .cache_to_cache = { "l3", "clean" } },
        { EVENT_CONTENTION, 1, .contention = { 0, 0, 1 } },
        { EVENT_REDUNDANCY, 1, .redundancy = { 0, 0, 0, "plain" } },
    };

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        start(NULL);
        SEND(EVENT_NODE, 1, .node = { .node = 0 });
        SEND(EVENT_CACHE, 1, .cache = { 1, 1024, { .mean = 1 }, { .mean = 1 } });
        SEND(EVENT_LATENCY, 1, .latency = { 0, 0, 1 << 28, { .mean = 91.2 }, "idle" });
        screen_turn(&screen, SCREEN_BANDWIDTH);
        assert_true(find("in the report") < 0);
        assert_shows("latency       91.2 ns");
        send(more[i]);
        assert_shows("curves, scaling and load are in the report");
    }
}

/* No more caches than there is room for. */
TEST(too_many_caches, start)
{
    for (uint32_t i = 1; i <= SCREEN_CACHES_MAX + 1; i++)
        SEND(EVENT_CACHE, 1, .cache = { i, 1024 * i, { .mean = 1 }, { .mean = 1 } });
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_shows("L6");
    assert_true(find("L7") < 0);
    assert_shows("in the report");
}

TEST(modules_are_next_to_it_on_a_wide_grid, start)
{
    play_on(shown_of(128, 36, true), "measured-2");
    screen_turn(&screen, SCREEN_BANDWIDTH);
    assert_shows("read, MB/s");
    assert_shows("DIMM_B2");
}
