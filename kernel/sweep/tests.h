/*
 * The memory tests by name: each is a row of a table, a march over some data. Levels are lists of
 * tests. The names are those of `tests=` on the command line and of the report.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "sweep/data.h"
#include "sweep/march.h"

/* A march that is run once for each round's data: data_make(data, round, seed of the pass). */
struct test {
    const char *name;
    const char *notation;
    enum data_kind data;
    uint32_t rounds; /* backgrounds, or keys */
};

#define TEST_LIST_MAX 32

struct test_list {
    size_t n_tests;
    struct test test[TEST_LIST_MAX];
};

/* The part of a text that is wrong. */
struct test_word {
    size_t position, length;
};

/* Row i of the table, with the rounds that its name alone stands for; NULL past the end. */
const struct test *tests_row(size_t i);

/*
 * The list that words stands for: names of levels (quick, standard, thorough) and of tests, with
 * commas between them, in the order given. STATUS_NOT_FOUND: the word *ret_bad is neither.
 * STATUS_NO_SPACE: with the word *ret_bad the list gets longer than TEST_LIST_MAX.
 */
enum status tests_select(const char *words, struct test_list *ret_list, struct test_word *ret_bad);

/*
 * Adds a person's own march, under the name "march", over the solid background: w0 writes zeros.
 * notation must live as long as the list. STATUS_INVALID: it is no march; STATUS_NO_SPACE: the list
 * is full; *ret_error says so in both cases.
 */
enum status tests_add_march(struct test_list *list, const char *notation,
                            struct march_error *ret_error);

/* The march of a test from a list or the table. */
void test_march(const struct test *test, struct march *ret_march);

/* Sweeps of all its rounds. */
uint32_t test_sweeps(const struct test *test);
