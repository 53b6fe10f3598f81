// SPDX-License-Identifier: MIT
#include "guardlist/guard_join.h"

#include "lib/splitmix.h"
#include "samples.h"

#define RUNS 12

/* The list of these runs with at most max_runs runs is that of `wanted`. */
static void check(const struct guard_run *run, size_t n, uint32_t max_runs,
                  const struct guard_run *wanted, size_t n_wanted)
{
    uint8_t of_run[400], of_wanted[400], made[400];
    uint64_t *gap = malloc(n * sizeof(*gap)); /* so that ASan sees a write past its end */
    struct guard_list list = open_list(of_run, make_list(run, n, of_run, sizeof(of_run)));
    size_t size = make_list(wanted, n_wanted, of_wanted, sizeof(of_wanted));

    assert_int_equal(guard_join(&list, max_runs, UINT64_MAX, gap, made, sizeof(made)), size);
    assert_same_list(made, of_wanted, size);
    free(gap);
}

static const struct guard_run five[] = { { 0, 2 }, { 5, 1 }, { 7, 1 }, { 17, 3 }, { 23, 1 } };

static void closes_the_smallest_gaps(void **state)
{
    static const struct guard_run four[] = { { 0, 2 }, { 5, 3 }, { 17, 3 }, { 23, 1 } };
    static const struct guard_run two[] = { { 0, 8 }, { 17, 7 } };
    static const struct guard_run one[] = { { 0, 24 } };

    check(five, 5, 4, four, 4);
    check(five, 5, 2, two, 2);
    check(five, 5, 1, one, 1);
}

/* Of two gaps of 3 pages the first is closed. */
static void closes_no_more_than_it_must(void **state)
{
    static const struct guard_run three[] = { { 0, 8 }, { 17, 3 }, { 23, 1 } };

    check(five, 5, 3, three, 3);
}

static void a_short_list_stays_as_it_is(void **state)
{
    check(five, 5, 5, five, 5);
    check(five, 5, UINT32_MAX, five, 5);
    check(five, 1, 1, five, 1);
    check(five, 0, 1, five, 0);
}

static void says_when_there_is_no_room(void **state)
{
    uint8_t bytes[400], made[GUARD_LIST_HEAD + 1];
    struct guard_list list = open_list(bytes, make_list(five, 5, bytes, sizeof(bytes)));
    uint64_t gap[5];

    assert_int_equal(guard_join(&list, 1, UINT64_MAX, gap, made, sizeof(made)), 0);
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

static void no_choice_lists_fewer_pages(void **state)
{
    uint64_t random = 1;

    for (int i = 0; i < 200; i++) {
        struct guard_run run[RUNS];
        uint64_t at = 0, gaps[RUNS], room[RUNS], n_pages = 0;
        uint8_t bytes[300], made[300];
        uint32_t max_runs = 1 + (uint32_t)(splitmix_below(&random, RUNS));
        struct guard_list list, joined;

        for (size_t r = 0; r < RUNS; r++) {
            run[r] = (struct guard_run){ at, 1 + splitmix_below(&random, 4) };
            gaps[r] = 1 + splitmix_below(&random, 6);
            at += run[r].n + gaps[r];
            n_pages += run[r].n;
        }
        list = open_list(bytes, make_list(run, RUNS, bytes, sizeof(bytes)));
        joined = open_list(made, guard_join(&list, max_runs, UINT64_MAX, room, made, sizeof(made)));
        assert_int_equal(joined.head.n_runs, max_runs);
        assert_int_equal(joined.head.n_pages,
                         fewest_pages(gaps, RUNS - 1, n_pages, RUNS - max_runs));
    }
}

static struct guard_list open_sample(uint8_t bytes[200])
{
    return open_list(bytes, make_list(five, 5, bytes, 200));
}

static void holds(const uint8_t *made, size_t size, const struct guard_run *wanted, size_t n)
{
    uint8_t of_wanted[200];

    assert_int_equal(size, make_list(wanted, n, of_wanted, sizeof(of_wanted)));
    assert_same_list(made, of_wanted, size);
}

/* Gaps of 1, 3, 3 and 9 pages. */
static void masks_no_more_good_pages_than_it_may(void **state)
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
        uint8_t bytes[200], made[200];
        uint64_t number[5];
        struct guard_list list = open_sample(bytes);
        size_t size = guard_join(&list, 1, cases[i].max_good, number, made, sizeof(made));

        holds(made, size, cases[i].wanted, cases[i].n);
    }
}

static void keeps_the_longest(void **state)
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
        uint8_t bytes[200], made[200];
        uint64_t number[5];
        struct guard_list list = open_sample(bytes);
        size_t size = guard_longest(&list, cases[i].max_runs, number, made, sizeof(made));

        holds(made, size, cases[i].wanted, cases[i].n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_the_smallest_gaps),
        cmocka_unit_test(closes_no_more_than_it_must),
        cmocka_unit_test(a_short_list_stays_as_it_is),
        cmocka_unit_test(says_when_there_is_no_room),
        cmocka_unit_test(no_choice_lists_fewer_pages),
        cmocka_unit_test(masks_no_more_good_pages_than_it_may),
        cmocka_unit_test(keeps_the_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
