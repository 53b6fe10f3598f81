// SPDX-License-Identifier: MIT
/* What a run of the bench says of one test or level: a row of the coverage table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/coverage/rows.h"
#include "tests/coverage/world.h"

/*
 * After how many passes the leaks by neighbours are counted: data may be fresh in each. Their
 * column is the share of the cells that were found.
 */
#define RESULT_PASSES     3
#define RESULT_PASSES_MAX 16
extern const uint32_t result_passes[RESULT_PASSES];

struct result {
    char name[64];
    uint32_t sweeps;
    uint32_t n[N_COLUMNS], n_found[N_COLUMNS]; /* instances, and those that were detected */
    bool detected[N_ROWS];                     /* every instance of that row's fault was */
    uint32_t n_leaks, n_leaks_found[RESULT_PASSES];
};

/* All rows count as detected until an instance is not. */
struct result result_make(const char *name, uint32_t sweeps);

/*
 * Takes from the rows those of which an instance was not found in the first n_rounds rounds of the
 * test that ran last, and counts the instances. unordered: also instances whose cells have no order
 * but in a test that orders all lines.
 */
void result_judge(struct result *r, const struct world *w, uint32_t n_rounds, bool unordered);

/* found_pass: of each of n cells that leak, from 0; or NOT_FOUND. */
void result_judge_leaks(struct result *r, const uint32_t *found_pass, uint32_t n);

uint32_t result_count(const struct result *r, enum column column);

/* The table for people, and the same in Markdown. */
void results_print(const struct result *results, size_t n, FILE *to);
void results_markdown(const struct result *results, size_t n, FILE *to);

/* Of each column's instances, how many per cent were detected, rounded down; both ways. */
void results_print_shares(const struct result *results, size_t n, FILE *to);
void results_markdown_shares(const struct result *results, size_t n, FILE *to);

/* What equal coverage costs, compared with memtest86+. */
void results_emit_sweeps(const struct result *results, size_t n, FILE *to);

/* One line for each test and primitive or other fault: 1 or 0 for detected, test, fault; tabs. */
void results_list(const struct result *results, size_t n, FILE *to);

/*
 * Whether two runs have the same tests, and detect the same faults. How many of the instances of
 * the others they find by chance may differ: in which order instructions read the words of a line
 * decides what a stuck-open cell seems to hold.
 */
bool results_agree(const struct result *a, const struct result *b, size_t n);

/*
 * Whether the results are what the literature says and what the levels promise. Says on standard
 * output what is not. A result that is missing is not what is expected.
 * names: only of these tests, or NULL.
 */
bool results_expected(const struct result *results, size_t n, bool with_levels, const char *names);

/* Whether names, such as "mats+,march-ss", has the name. */
bool result_is_named(const char *name, const char *names);
