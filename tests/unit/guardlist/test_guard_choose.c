// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "lib/splitmix.h"
#include "samples.h"

#define ROOM      8192
#define MIB_PAGES (UINT64_C(1) << 8) /* pages */

/* A machine of 480 MiB, without what firmware holds. */
static struct guard_piece piece[] = { { 1, 159, GUARD_FREE },
                                      { MIB_PAGES, 479 * MIB_PAGES, GUARD_FREE } };
static const struct guard_ram_use machine = { piece, sizeof(piece) / sizeof(piece[0]) };
static const struct guard_limits limits = { GUARD_RUNS_DEFAULT, 3 };

static uint8_t bytes[ROOM];

static struct guard_list list_of(const struct guard_run *run, size_t n)
{
    struct guard_list list;
    const char *why;

    assert_int_equal(guard_list_open(bytes, make_list(run, n, bytes, ROOM), &list, &why),
                     STATUS_OK);
    return list;
}

/* The buffer has exactly the size that is asked for, so that ASan sees a write past its end. */
static void *choose(const struct guard_list *list, const struct guard_limits *with,
                    struct guard_choice *ret_choice)
{
    void *buffer = malloc(guard_choose_bytes(list));

    assert_int_equal(guard_choose(list, &machine, with, buffer, ret_choice), STATUS_OK);
    return buffer;
}

static bool holds(const struct guard_list *list, uint64_t page)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run;

    while (guard_reader_next(&reader, &run)) {
        if (page >= run.first && page < run.first + run.n)
            return true;
    }
    return false;
}

/* The largest contiguous part of [first, end) that is not listed. */
static uint64_t largest(const struct guard_list *list, uint64_t first, uint64_t end)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run;
    uint64_t best = 0, at = first;

    while (guard_reader_next(&reader, &run) && run.first < end) {
        if (run.first > at && run.first - at > best)
            best = run.first - at;
        if (run.first + run.n > at)
            at = run.first + run.n;
    }
    return end > at && end - at > best ? end - at : best;
}

TEST(takes_all_of_a_harmless_list)
{
    static const struct guard_run few[] = { { 20, 1 }, { 5000, 3 }, { 100000, 1 } };
    struct guard_list list = list_of(few, 3);
    struct guard_choice choice;
    void *buffer = choose(&list, &limits, &choice);

    assert_int_equal(choice.list.head.n_pages, 5);
    assert_int_equal(choice.list.head.n_runs, 3);
    assert_int_equal(choice.room.n_listed, 0);
    free(buffer);
}

/* With these two Linux did not start. */
TEST(leaves_room_to_start_in)
{
    static const struct guard_run low = { 16, 144 };
    struct guard_run every[15];
    struct guard_list list = list_of(&low, 1);
    struct guard_choice choice;
    void *buffer = choose(&list, &limits, &choice);

    assert_int_equal(choice.list.head.n_pages, 144 - GUARD_ROOM_LOW_PAGES);
    assert_int_equal(choice.room.n_listed, GUARD_ROOM_LOW_PAGES);
    assert_true(largest(&choice.list, 16, 160) >= GUARD_ROOM_LOW_PAGES);
    free(buffer);
    for (size_t i = 0; i < 15; i++)
        every[i] = (struct guard_run){ (31 + 32 * i) * MIB_PAGES, MIB_PAGES };
    list = list_of(every, 15);
    buffer = choose(&list, &limits, &choice);
    assert_int_equal(choice.room.n_listed, 7 * MIB_PAGES);
    assert_int_equal(choice.list.head.n_pages, 15 * MIB_PAGES - choice.room.n_listed);
    assert_true(largest(&choice.list, MIB_PAGES, 480 * MIB_PAGES) >= 224 * MIB_PAGES);
    free(buffer);
}

static size_t single_pages(struct guard_run *run, size_t n, uint64_t first, uint64_t stride)
{
    for (size_t i = 0; i < n; i++)
        run[i] = (struct guard_run){ first + i * stride, 1 };
    return n;
}

TEST(masks_good_pages_between)
{
    struct guard_run run[GUARD_RUNS_DEFAULT + 40];
    struct guard_list list = list_of(run, single_pages(run, GUARD_RUNS_DEFAULT + 40, 70000, 16));
    struct guard_choice choice;
    void *buffer = choose(&list, &limits, &choice);

    assert_int_equal(choice.list.head.n_runs, GUARD_RUNS_DEFAULT);
    assert_int_equal(choice.list.head.n_pages, GUARD_RUNS_DEFAULT + 40 + 40 * 15);
    for (size_t i = 0; i < GUARD_RUNS_DEFAULT + 40; i++)
        assert_true(holds(&choice.list, run[i].first));
    free(buffer);
}

/* 4 MiB between two: of these gaps 15 are masked, where an eighth of memory is the most. */
TEST(leaves_out_the_shortest)
{
    static const struct guard_limits ten = { 10, 1 };
    struct guard_run run[30];
    struct guard_list list;
    struct guard_choice choice;
    void *buffer;

    single_pages(run, 30, 300 * MIB_PAGES, 4 * MIB_PAGES);
    run[20].n = 2;
    list = list_of(run, 30);
    buffer = choose(&list, &ten, &choice);
    assert_int_equal(choice.list.head.n_runs, 10);
    assert_true(choice.list.head.n_pages < 60 * MIB_PAGES + 31);
    assert_true(holds(&choice.list, run[20].first + 1));
    free(buffer);
}

/* Of the good pages between two runs those are masked that are not in the room. */
TEST(the_room_is_no_gap)
{
    static const struct guard_limits one = { 1, 8 };
    static const struct guard_run two[] = { { 20, 1 }, { 159, 1 } };
    struct guard_list list = list_of(two, 2);
    struct guard_choice choice;
    void *buffer = choose(&list, &one, &choice);

    assert_int_equal(choice.room.n_listed, 0);
    assert_int_equal(choice.list.head.n_pages, 140 - GUARD_ROOM_LOW_PAGES);
    free(buffer);
}

TEST(bears_the_longest_list)
{
    static uint8_t large[GUARD_LIST_MAX];
    struct guard_writer writer = guard_writer_begin(large, sizeof(large));
    struct guard_list list;
    struct guard_choice choice = { 0 };
    const char *why;
    void *buffer;
    size_t size;

    for (uint64_t page = 0; writer.used < GUARD_LIST_MAX - 5; page += 2)
        guard_writer_add(&writer, (struct guard_run){ page, 1 });
    size = guard_writer_end(&writer, &sample_machine, 0);
    assert_int_equal(guard_list_open(large, size, &list, &why), STATUS_OK);
    buffer = choose(&list, &limits, &choice);
    assert_true(choice.list.head.n_runs <= GUARD_RUNS_DEFAULT + 2);
    free(buffer);
}

#define RUNS 12

/* The list of these runs with at most max_runs runs is that of `wanted`. */
static void check_join(const struct guard_run *run, size_t n, uint32_t max_runs,
                       const struct guard_run *wanted, size_t n_wanted)
{
    uint8_t of_run[400], of_wanted[400], made[400];
    uint64_t *gap = malloc(n * sizeof(*gap)); /* so that ASan sees a write past its end */
    struct guard_list list = open_list(of_run, make_list(run, n, of_run, sizeof(of_run)));
    size_t size = make_list(wanted, n_wanted, of_wanted, sizeof(of_wanted));

    assert_int_equal(
        guard_join(&list, max_runs, UINT64_MAX, &(struct guard_output){ made, sizeof(made), gap }),
        size);
    assert_same_list(made, of_wanted, size);
    free(gap);
}

static const struct guard_run five[] = { { 0, 2 }, { 5, 1 }, { 7, 1 }, { 17, 3 }, { 23, 1 } };

TEST(closes_the_smallest_gaps)
{
    static const struct guard_run four[] = { { 0, 2 }, { 5, 3 }, { 17, 3 }, { 23, 1 } };
    static const struct guard_run two[] = { { 0, 8 }, { 17, 7 } };
    static const struct guard_run one[] = { { 0, 24 } };

    check_join(five, 5, 4, four, 4);
    check_join(five, 5, 2, two, 2);
    check_join(five, 5, 1, one, 1);
}

/* Of two gaps of 3 pages the first is closed. */
TEST(closes_no_more_than_it_must)
{
    static const struct guard_run three[] = { { 0, 8 }, { 17, 3 }, { 23, 1 } };

    check_join(five, 5, 3, three, 3);
}

TEST(a_short_list_stays_as_it_is)
{
    check_join(five, 5, 5, five, 5);
    check_join(five, 5, UINT32_MAX, five, 5);
    check_join(five, 1, 1, five, 1);
    check_join(five, 0, 1, five, 0);
}

TEST(says_when_there_is_no_room)
{
    uint8_t of_list[400], made[GUARD_LIST_HEAD + 1];
    struct guard_list list = open_list(of_list, make_list(five, 5, of_list, sizeof(of_list)));
    uint64_t gap[5];

    assert_int_equal(
        guard_join(&list, 1, UINT64_MAX, &(struct guard_output){ made, sizeof(made), gap }), 0);
}

/* Pages of the cheapest choice of gaps, by trying all of them. */
static uint64_t fewest_pages(const uint64_t *gap, size_t n_gaps, uint64_t n_pages, size_t n_closed)
{
    uint64_t fewest = UINT64_MAX;

    for (uint32_t set = 0; set < 1u << n_gaps; set++) {
        uint64_t pages = n_pages;
        size_t n = 0;

        for (size_t i = 0; i < n_gaps; i++) {
            pages += set >> i & 1 ? gap[i] : 0;
            n += set >> i & 1;
        }
        if (n >= n_closed && pages < fewest)
            fewest = pages;
    }
    return fewest;
}

TEST(no_choice_lists_fewer_pages)
{
    uint64_t random = 1;

    for (int i = 0; i < 200; i++) {
        struct guard_run run[RUNS];
        uint64_t at = 0, gaps[RUNS], room[RUNS], n_pages = 0;
        uint8_t of_list[300], made[300];
        uint32_t max_runs = 1 + (uint32_t)(splitmix_below(&random, RUNS));
        struct guard_list list, joined;

        for (size_t r = 0; r < RUNS; r++) {
            run[r] = (struct guard_run){ at, 1 + splitmix_below(&random, 4) };
            gaps[r] = 1 + splitmix_below(&random, 6);
            at += run[r].n + gaps[r];
            n_pages += run[r].n;
        }
        list = open_list(of_list, make_list(run, RUNS, of_list, sizeof(of_list)));
        joined = open_list(made, guard_join(&list, max_runs, UINT64_MAX,
                                            &(struct guard_output){ made, sizeof(made), room }));
        assert_int_equal(joined.head.n_runs, max_runs);
        assert_int_equal(joined.head.n_pages,
                         fewest_pages(gaps, RUNS - 1, n_pages, RUNS - max_runs));
    }
}

static struct guard_list open_sample(uint8_t of_list[200])
{
    return open_list(of_list, make_list(five, 5, of_list, 200));
}

static void has_runs(const uint8_t *made, size_t size, const struct guard_run *wanted, size_t n)
{
    uint8_t of_wanted[200];

    assert_int_equal(size, make_list(wanted, n, of_wanted, sizeof(of_wanted)));
    assert_same_list(made, of_wanted, size);
}

/* Gaps of 1, 3, 3 and 9 pages. */
TEST(masks_no_more_good_pages_than_it_may)
{
    static const struct guard_run four[] = { { 0, 2 }, { 5, 3 }, { 17, 3 }, { 23, 1 } };
    static const struct guard_run three[] = { { 0, 8 }, { 17, 3 }, { 23, 1 } };
    static const struct guard_run two[] = { { 0, 8 }, { 17, 7 } };
    static const struct {
        uint64_t max_good;
        const struct guard_run *wanted;
        size_t n;
    } cases[] = { { 0, five, 5 },  { 1, four, 4 }, { 3, four, 4 }, { 4, three, 3 },
                  { 6, three, 3 }, { 7, two, 2 },  { 15, two, 2 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t of_list[200], made[200];
        uint64_t number[5];
        struct guard_list list = open_sample(of_list);
        size_t size = guard_join(&list, 1, cases[i].max_good,
                                 &(struct guard_output){ made, sizeof(made), number });

        has_runs(made, size, cases[i].wanted, cases[i].n);
    }
}

TEST(keeps_the_longest)
{
    static const struct guard_run four[] = { { 0, 2 }, { 5, 1 }, { 7, 1 }, { 17, 3 } };
    static const struct guard_run two[] = { { 0, 2 }, { 17, 3 } };
    static const struct guard_run one[] = { { 17, 3 } };
    static const struct {
        uint32_t max_runs;
        const struct guard_run *wanted;
        size_t n;
    } cases[] = { { 1, one, 1 }, { 2, two, 2 }, { 4, four, 4 }, { 5, five, 5 }, { 6, five, 5 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t of_list[200], made[200];
        uint64_t number[5];
        struct guard_list list = open_sample(of_list);
        size_t size = guard_longest(&list, cases[i].max_runs,
                                    &(struct guard_output){ made, sizeof(made), number });

        has_runs(made, size, cases[i].wanted, cases[i].n);
    }
}
