// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "samples.h"

#define ROOM 8192
#define MIB  (UINT64_C(1) << 8) /* pages */

/* A machine of 480 MiB, without what firmware holds. */
static struct guard_piece piece[] = { { 1, 159, GUARD_FREE }, { MIB, 479 * MIB, GUARD_FREE } };
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

static void takes_all_of_a_harmless_list(void **state)
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
static void leaves_room_to_start_in(void **state)
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
        every[i] = (struct guard_run){ (31 + 32 * i) * MIB, MIB };
    list = list_of(every, 15);
    buffer = choose(&list, &limits, &choice);
    assert_int_equal(choice.room.n_listed, 7 * MIB);
    assert_int_equal(choice.list.head.n_pages, 15 * MIB - choice.room.n_listed);
    assert_true(largest(&choice.list, MIB, 480 * MIB) >= 224 * MIB);
    free(buffer);
}

static size_t single_pages(struct guard_run *run, size_t n, uint64_t first, uint64_t stride)
{
    for (size_t i = 0; i < n; i++)
        run[i] = (struct guard_run){ first + i * stride, 1 };
    return n;
}

static void masks_good_pages_between(void **state)
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
static void leaves_out_the_shortest(void **state)
{
    static const struct guard_limits ten = { 10, 1 };
    struct guard_run run[30];
    struct guard_list list;
    struct guard_choice choice;
    void *buffer;

    single_pages(run, 30, 300 * MIB, 4 * MIB);
    run[20].n = 2;
    list = list_of(run, 30);
    buffer = choose(&list, &ten, &choice);
    assert_int_equal(choice.list.head.n_runs, 10);
    assert_true(choice.list.head.n_pages < 60 * MIB + 31);
    assert_true(holds(&choice.list, run[20].first + 1));
    free(buffer);
}

/* Of the good pages between two runs those are masked that are not in the room. */
static void the_room_is_no_gap(void **state)
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

static void bears_the_longest_list(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_all_of_a_harmless_list), cmocka_unit_test(leaves_room_to_start_in),
        cmocka_unit_test(masks_good_pages_between),     cmocka_unit_test(leaves_out_the_shortest),
        cmocka_unit_test(the_room_is_no_gap),           cmocka_unit_test(bears_the_longest_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
