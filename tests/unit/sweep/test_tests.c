// SPDX-License-Identifier: MIT
#include "sweep/tests.h"

#include "sweep/block_move.h"
#include "tests/unit/unit.h"

/* Sweeps of one round, and faults between two lines: docs/coverage.md. */
static const struct {
    const char *name;
    uint32_t sweeps, rounds, pairs;
    enum data_kind data;
} rows[] = {
    /* A row a line. */
    /* clang-format off */
    { "address", 4, 1, 0, DATA_ADDRESS },
    { "address-up", 2, 1, 0, DATA_ADDRESS },
    { "random", 4, 1, 0, DATA_RANDOM },
    { "retention", 4, 1, 0, DATA_RANDOM },
    { "fade", 4, 4, 0, DATA_RANDOM },
    { "moving-inversions", 5, 64, 0, DATA_WALKING },
    { "backgrounds", 2, 25, 0, DATA_SEQUENCE },
    { "block-move", BLOCK_MOVE_SWEEPS, 1, 0, DATA_RANDOM },
    { "bus-stress", 8, 10, 0, DATA_BUS },
    { "bus-pulse", 6, 2, 0, DATA_BUS },
    { "bus-random", 6, 1, 0, DATA_TOGGLES },
    { "row-hammer", 0, 1, 0, DATA_RANDOM },
    { "mats+", 5, 7, 0, DATA_BACKGROUND },
    { "march-y", 8, 7, 0, DATA_BACKGROUND },
    { "march-c-", 10, 7, 24, DATA_BACKGROUND },
    { "pmovi", 13, 7, 25, DATA_BACKGROUND },
    { "march-mss", 18, 7, 36, DATA_BACKGROUND },
    { "march-mss+", 26, 1, 36, DATA_BACKGROUND },
    { "march-ss", 22, 7, 36, DATA_BACKGROUND },
    { "march-raw", 26, 7, 36, DATA_BACKGROUND },
    { "march-raw+", 38, 1, 36, DATA_BACKGROUND },
    /* clang-format on */
};

TEST(holds_the_tests_of_the_literature)
{
    size_t n = sizeof(rows) / sizeof(rows[0]);

    for (size_t i = 0; i < n; i++) {
        const struct test *t = tests_row(i);

        assert_non_null(t);
        assert_string_equal(t->name, rows[i].name);
        assert_int_equal(t->data, rows[i].data);
        assert_int_equal(t->rounds, rows[i].rounds);
        assert_int_equal(t->pairs, rows[i].pairs);
        assert_int_equal(test_sweeps(t), rows[i].sweeps * rows[i].rounds);
    }
    assert_null(tests_row(n));
    assert_null(tests_row(SIZE_MAX));
}

TEST(only_bus_pulse_is_in_pulses)
{
    for (size_t i = 0; tests_row(i); i++)
        assert_int_equal(tests_row(i)->in_pulses, strcmp(tests_row(i)->name, "bus-pulse") == 0);
}

/* Counted by hand. Row hammer and block move do not read each cell. */
TEST(counts_how_often_each_cell_is_read)
{
    static const struct {
        const char *words;
        uint32_t reads;
    } cases[] = {
        { "march-c-", 5 * 7 }, { "mats+", 2 * 7 },  { "march-mss", 9 * 7 }, { "retention", 2 },
        { "fade", 8 },         { "row-hammer", 0 }, { "block-move", 0 },    { "bus-pulse", 3 * 2 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct test_list list;
        struct test_word bad;

        assert_int_equal(tests_select(cases[i].words, "", &list, &bad), STATUS_OK);
        assert_int_equal(test_reads(&list.test[0]), cases[i].reads);
    }
}

/* Rounds are data numbers: all must exist. */
TEST(every_round_has_data)
{
    for (size_t i = 0; tests_row(i); i++) {
        for (uint32_t r = 0; r < tests_row(i)->rounds; r++)
            assert_int_equal(data_make(tests_row(i)->data, r, 1).kind, tests_row(i)->data);
    }
}

static const struct {
    const char *words, *means;
    uint32_t sweeps;
} selections[] = {
    { "quick", "address-up/1 march-c-/1", 12 },
    { "standard", "address/1 march-mss+/1 backgrounds/25 retention/1", 84 },
    { "thorough",
      "address/1 march-raw+/2 backgrounds/25 block-move/1 bus-stress/10 bus-pulse/2 "
      "row-hammer/1 fade/4 random/9",
      4 + 76 + 50 + BLOCK_MOVE_SWEEPS + 80 + 12 + 16 + 36 },
    { "stability", "bus-pulse/2 bus-random/4 random/6 block-move/1",
      12 + 24 + 24 + BLOCK_MOVE_SWEEPS },
    { "hot", "march-mss+/1 retention/4 random/3 row-hammer/1", 54 },
    { "moving-inversions", "moving-inversions/64", 320 },
    { "random", "random/1", 4 },
    { "march-raw,address", "march-raw/7 address/1", 186 },
    { "quick,random,mats+", "address-up/1 march-c-/1 random/1 mats+/7", 51 },
    { "random,random", "random/1 random/1", 8 },
};

/* In a pass no two rounds have the same random data, whatever their tests; in the next all others.
 */
TEST(rounds_of_a_list_have_different_random_data)
{
    struct test_list list;
    struct test_word bad;
    uint64_t key[64];
    size_t n = 0;

    assert_int_equal(
        tests_select("address,thorough,random,retention,retention,stability", "", &list, &bad),
        STATUS_OK);
    for (uint32_t pass = 1; pass <= 2; pass++) {
        for (size_t t = 0; t < list.n_tests; t++) {
            const struct test *test = &list.test[t];

            for (uint32_t r = 0; r < test->rounds && test_has_seed(test); r++) {
                struct data data = test_data(test, r, (struct pass){ pass, pass });

                key[n++] = data.key + (uint64_t)data.kind;
            }
        }
    }
    assert_int_equal(n, 2 * (2 + 1 + 1 + 4 + 9 + 1 + 1 + 1 + 4 + 6 + 1));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(key[i], key[k]);
    }
}

static void check_data_are_known(const struct test *test, struct pass pass)
{
    for (uint32_t r = 0; r < test->rounds; r++) {
        const struct data data = test_data(test, r, pass);
        const uint64_t phys = UINT64_C(0x123456788), word = data_word(&data, phys);
        struct data found = { 0 };

        assert_true(test_data_of(test, pass, phys, word, &found));
        assert_int_equal(found.key, data.key);
        assert_true(test_data_of(test, pass, phys, ~word, &found));
        assert_int_equal(found.key, data.key);
        if (data_word(&found, phys) != word) /* of another round */
            assert_int_equal(data_word(&found, phys), ~word);
        assert_false(test_data_of(test, pass, phys, word ^ 0x100, &found));
    }
}

TEST(data_are_known_by_a_word_of_them)
{
    struct test_list list;
    struct test_word bad;

    assert_int_equal(tests_select("random,fade,march-c-,backgrounds", "", &list, &bad), STATUS_OK);
    for (size_t t = 0; t < list.n_tests; t++) {
        check_data_are_known(&list.test[t], (struct pass){ 1, 7 });
        check_data_are_known(&list.test[t], (struct pass){ 2, 7 });
    }
}

/* Whether each word of a line is the complement of the next. */
static bool are_opposite(const struct data *data)
{
    const uint64_t line = UINT64_C(0x123456780);

    for (uint64_t at = line; at < line + 7 * 8; at += 8) {
        if (data_word(data, at) != ~data_word(data, at + 8))
            return false;
    }
    return true;
}

/* Of what a run waits with; all other data are as random as the row says. */
TEST(the_first_round_that_waits_has_opposite_neighbours)
{
    struct test_list list;
    struct test_word bad;

    assert_int_equal(tests_select("random,hot,fade", "", &list, &bad), STATUS_OK);
    for (size_t t = 0; t < list.n_tests; t++) {
        const struct test *test = &list.test[t];

        for (uint32_t r = 0; r < test->rounds && test_has_seed(test); r++) {
            for (uint32_t pass = 1; pass <= 2; pass++) {
                struct data data = test_data(test, r, (struct pass){ pass, 7 });

                assert_int_equal(are_opposite(&data),
                                 test_longest_pause_ms(test) && r == 0 && pass == 1);
            }
        }
    }
}

TEST(selects_levels_and_tests)
{
    for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++) {
        struct test_list list;
        struct test_word bad;
        char text[256] = "";
        size_t n = 0;
        uint32_t sweeps = 0;

        assert_int_equal(tests_select(selections[i].words, "", &list, &bad), STATUS_OK);
        for (size_t t = 0; t < list.n_tests; t++) {
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s/%u", t ? " " : "",
                                  list.test[t].name, list.test[t].rounds);
            sweeps += test_sweeps(&list.test[t]);
        }
        assert_string_equal(text, selections[i].means);
        assert_int_equal(sweeps, selections[i].sweeps);
    }
}

static const struct {
    const char *words;
    size_t position, length;
} unknown[] = {
    { "", 0, 0 },          { "quik", 0, 4 },          { "random,", 7, 0 },
    { ",random", 0, 0 },   { "quick,foo,bar", 6, 3 }, { "march-c", 0, 7 },
    { "march-c--", 0, 9 }, { "random, quick", 7, 6 }, { "Random", 0, 6 },
};

TEST(names_the_unknown_word)
{
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        struct test_list list = { .n_tests = 99 };
        struct test_word bad = { 55, 55 };

        assert_int_equal(tests_select(unknown[i].words, "", &list, &bad), STATUS_NOT_FOUND);
        assert_int_equal(bad.position, unknown[i].position);
        assert_int_equal(bad.length, unknown[i].length);
        assert_int_equal(list.n_tests, 99);
    }
}

/* "march" is a person's own, wherever it stands; without one, or with a wrong one, it is unknown.
 */
TEST(selects_a_persons_march)
{
    static const char own[] = "{any(w0);up(r0,w1)}";
    struct test_list list;
    struct test_word bad;

    assert_int_equal(tests_select("mats+,march,random", own, &list, &bad), STATUS_OK);
    assert_int_equal(list.n_tests, 3);
    assert_string_equal(list.test[1].name, "march");
    assert_ptr_equal(list.test[1].notation, own);
    assert_int_equal(test_sweeps(&list.test[1]), 3);
    assert_true(tests_have_own(&list));
    assert_int_equal(tests_select("mats+", own, &list, &bad), STATUS_OK);
    assert_false(tests_have_own(&list));
    assert_int_equal(tests_select("mats+,march", "", &list, &bad), STATUS_NOT_FOUND);
    assert_int_equal(bad.position, 6);
    assert_int_equal(bad.length, 5);
    assert_int_equal(tests_select("march", "{any(r0)}", &list, &bad), STATUS_NOT_FOUND);
    assert_int_equal(tests_select("marc", own, &list, &bad), STATUS_NOT_FOUND);
}

TEST(a_list_is_full_at_its_limit)
{
    struct test_list list;
    struct test_word bad = { 0 };
    struct march_error error = { 0 };
    char words[8 * TEST_LIST_MAX + 32] = "";

    for (size_t i = 0; i < TEST_LIST_MAX; i++)
        strcat(words, i ? ",random" : "random");
    assert_int_equal(tests_select(words, "", &list, &bad), STATUS_OK);
    assert_int_equal(list.n_tests, TEST_LIST_MAX);

    assert_int_equal(tests_add_march(&list, "any(w0)", &error), STATUS_NO_SPACE);
    assert_int_equal(list.n_tests, TEST_LIST_MAX);
    assert_non_null(error.expected);

    list.n_tests = 5;
    strcat(words, ",mats+");
    assert_int_equal(tests_select(words, "", &list, &bad), STATUS_NO_SPACE);
    assert_int_equal(bad.position, 7 * TEST_LIST_MAX);
    assert_int_equal(bad.length, 5);
    assert_int_equal(list.n_tests, 5);

    strcpy(words + 7 * TEST_LIST_MAX, "march");
    assert_int_equal(tests_select(words, "{any(w0)}", &list, &bad), STATUS_NO_SPACE);
    assert_int_equal(bad.position, 7 * TEST_LIST_MAX);

    /* a level that would only fit in part */
    strcpy(words + 7 * (TEST_LIST_MAX - 1), "quick");
    assert_int_equal(tests_select(words, "", &list, &bad), STATUS_NO_SPACE);
    assert_int_equal(bad.position, 7 * (TEST_LIST_MAX - 1));
}

TEST(adds_a_persons_march)
{
    struct test_list list;
    struct test_word bad;
    struct march_error error = { 0 };
    struct march march;

    assert_int_equal(tests_select("random", "", &list, &bad), STATUS_OK);
    assert_int_equal(tests_add_march(&list, "any(w1);up(r0)", &error), STATUS_INVALID);
    assert_int_equal(error.status, MARCH_READS_OTHER_VALUE);
    assert_int_equal(error.position, 11);
    assert_int_equal(list.n_tests, 1);

    assert_int_equal(tests_add_march(&list, "{any(w1);up(r1,w0)}", &error), STATUS_OK);
    assert_int_equal(list.n_tests, 2);
    assert_string_equal(list.test[1].name, "march");
    assert_int_equal(list.test[1].data, DATA_BACKGROUND);
    assert_int_equal(list.test[1].rounds, 1);
    assert_int_equal(test_sweeps(&list.test[1]), 3);
    test_march(&list.test[1], &march);
    assert_int_equal(march.n_elements, 2);
    assert_int_equal(march.element[1].kind, MARCH_UP);
}

TEST(fade_waits_as_long_as_told)
{
    struct test_list list;
    struct test_word bad;
    struct march march;

    assert_int_equal(tests_select("retention,fade,march-c-", "", &list, &bad), STATUS_OK);
    assert_int_equal(test_pause_ms(&list.test[0]), 4000);
    assert_int_equal(test_pause_ms(&list.test[1]), 4 * 120000);
    tests_set_fade(&list, 86400);
    assert_int_equal(test_pause_ms(&list.test[0]), 4000);
    assert_int_equal(test_pause_ms(&list.test[1]), 4 * UINT64_C(172800000));
    assert_int_equal(test_pause_ms(&list.test[2]), 0);
    assert_int_equal(test_longest_pause_ms(&list.test[0]), 2000);
    assert_int_equal(test_longest_pause_ms(&list.test[1]), 86400000);
    assert_int_equal(test_longest_pause_ms(&list.test[2]), 0);
    test_march(&list.test[1], &march);
    assert_int_equal(march.element[1].kind, MARCH_PAUSE);
    assert_int_equal(march.element[1].pause_ms, 86400000);
    assert_int_equal(march.element[0].pause_ms, 0);
}

/* The promise: at most 130 sweeps for a standard pass. */
TEST(a_standard_pass_has_few_sweeps)
{
    struct test_list list;
    struct test_word bad;
    uint32_t sweeps = 0;

    assert_int_equal(tests_select("standard", "", &list, &bad), STATUS_OK);
    for (size_t i = 0; i < list.n_tests; i++)
        sweeps += test_sweeps(&list.test[i]);
    assert_in_range(sweeps, 1, 130);
}

/* By the table of docs/coverage.md. */
TEST(knows_which_test_finds_most_faults_between_lines)
{
    static const struct {
        const char *words;
        uint32_t most;
    } lists[] = {
        { "quick", 24 },
        { "standard", 36 },
        { "thorough", 36 },
        { "hot", 36 },
        { "march-raw", 36 },
        { "pmovi,march-c-", 25 },
        { "march-c-,march-ss", 36 },
        { "address,random", 0 },
        { "mats+,bus-stress", 0 },
        { "row-hammer,block-move", 0 },
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct test_list list;
        struct test_word bad;

        assert_int_equal(tests_select(lists[i].words, "", &list, &bad), STATUS_OK);
        assert_int_equal(tests_most_pairs(&list), lists[i].most);
        assert_in_range(list.n_tests, 1, TEST_LIST_MAX - 1);
        list.test[list.n_tests].pairs = 37; /* what is after the list does not count */
        assert_int_equal(tests_most_pairs(&list), lists[i].most);
    }
}

/* Random and address data are computed; block move and row hammer are no marches. */
TEST(sweeps_by_what_their_data_cost)
{
    struct test_list list;
    struct test_word bad;
    double sweeps[TEST_COSTS];

    assert_int_equal(tests_select("standard", "", &list, &bad), STATUS_OK);
    tests_count_sweeps(&list, sweeps);
    assert_int_equal((int)sweeps[TEST_COST_ADDRESS], 4);
    assert_int_equal((int)sweeps[TEST_COST_RANDOM], 4);
    assert_int_equal((int)sweeps[TEST_COST_PLAIN], 76);
    assert_int_equal(tests_select("block-move,row-hammer", "", &list, &bad), STATUS_OK);
    tests_count_sweeps(&list, sweeps);
    for (size_t i = 0; i < TEST_COSTS; i++)
        assert_int_equal((int)sweeps[i], 0);
    assert_int_equal(tests_select("address-up,bus-random,random", "", &list, &bad), STATUS_OK);
    tests_count_sweeps(&list, sweeps);
    assert_int_equal((int)sweeps[TEST_COST_ADDRESS], 2 + 6);
    assert_int_equal((int)sweeps[TEST_COST_RANDOM], 4);
}
