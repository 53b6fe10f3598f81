// SPDX-License-Identifier: MIT
/*
 * The memory tests by name: each is a row of a table, a march over some data. Levels are lists of
 * tests. The names are those of `tests=` on the command line and of the report.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "sweep/data.h"
#include "sweep/march.h"

enum test_kind {
    TEST_MARCH,
    TEST_BLOCK_MOVE, /* sweep/block_move.h */
    TEST_HAMMER,     /* sweep/hammer.h */
};

/* Done once for each round, each with its data: test_data. */
struct test {
    const char *name;
    enum test_kind kind;
    const char *notation; /* TEST_MARCH */
    enum data_kind data;
    uint32_t rounds;     /* each with data of its own */
    uint32_t pause_ms;   /* instead of the notation's; 0: those */
    uint32_t pairs;      /* static faults between two lines that it finds, of 36; 0: few */
    uint32_t first_data; /* the number of the first round's data, where they depend on the seed:
                            in a list no two rounds have the same */
    bool in_pulses;      /* all CPUs switch its traffic on and off together: sweep/pulse.h */
    bool opposite_first; /* in the first round of the first pass neighbouring words are opposite:
                            for cells that lose their data only next to such */
};

#define TEST_LIST_MAX 32

/* The level that is repeated until stopped, and gives a rate of errors. */
#define LEVEL_STABILITY "stability"

/* The level whose tests run while the modules are hot. */
#define LEVEL_HOT "hot"

struct test_list {
    size_t n_tests;
    struct test test[TEST_LIST_MAX];
    bool is_hot;       /* LEVEL_HOT is among the levels */
    bool is_stability; /* LEVEL_STABILITY is among the levels */
};

/* The part of a text that is wrong. */
struct test_word {
    size_t position, length;
};

/* Row i of the table, with the rounds that its name alone stands for; NULL past the end. */
const struct test *tests_row(size_t i);

/*
 * A person's own march, in notation, which must live as long as the list that it is in: over the
 * solid background, so that w0 writes zeros.
 */
#define TEST_OWN "march"

/*
 * The list that words stands for: names of levels (quick, standard, thorough, hot, stability) and
 * of tests, with commas between them, in the order given. own: what the name TEST_OWN stands for;
 * "": nothing. STATUS_NOT_FOUND: the word *ret_bad is none of these. STATUS_NO_SPACE: with the word
 * *ret_bad the list gets longer than TEST_LIST_MAX.
 */
enum status tests_select(const char *words, const char *own, struct test_list *ret_list,
                         struct test_word *ret_bad);

/* Whether TEST_OWN is in the list. */
bool tests_have_own(const struct test_list *list);

/*
 * Adds TEST_OWN at the end. STATUS_INVALID: the notation is not a march; STATUS_NO_SPACE: the list
 * is full; *ret_error says so in both cases.
 */
enum status tests_add_march(struct test_list *list, const char *notation,
                            struct march_error *ret_error);

/* Sets the pauses of test "fade" wherever it stands in the list. */
void tests_set_fade(struct test_list *list, uint32_t seconds);

/* The march of a test from a list or the table, of kind TEST_MARCH. */
void test_march(const struct test *test, struct march *ret_march);

/* Whether any two lines are in order in some round or leg of it: sweep/order.h. march: its own. */
bool test_orders_all(const struct test *test, const struct march *march);

/* The most `pairs` of any test of the list. */
uint32_t tests_most_pairs(const struct test_list *list);

/* A pass of a run: its number, from 1, and its seed. */
struct pass {
    uint32_t number;
    uint64_t seed;
};

/* The data of a round, from 0. */
struct data test_data(const struct test *test, uint32_t round, struct pass pass);

/* Those of its data of which a word at phys is this, or its complement. False: of none. */
bool test_data_of(const struct test *test, struct pass pass, uint64_t phys, uint64_t word,
                  struct data *ret_data);

/* Whether its data depend on the seed. */
bool test_has_seed(const struct test *test);

/* What the data of a test cost: the same for each line, or computed for each. */
enum test_cost { TEST_COST_PLAIN, TEST_COST_ADDRESS, TEST_COST_RANDOM, TEST_COSTS };

enum test_cost test_cost(const struct test *test);

/* Sweeps of all marches of the list, by what their data cost. */
void tests_count_sweeps(const struct test_list *list, double ret_sweeps[TEST_COSTS]);

/* Sweeps of all its rounds; 0 for row hammer, which is done for a time. */
uint32_t test_sweeps(const struct test *test);

/*
 * How often each cell is read and compared in all its rounds, at least: 0 for row hammer, which is
 * done in a few places, and for block move, which leaves out a line here and there.
 */
uint32_t test_reads(const struct test *test);

/* What it pauses in all its rounds. */
uint64_t test_pause_ms(const struct test *test);

/* The longest of its pauses. */
uint32_t test_longest_pause_ms(const struct test *test);
