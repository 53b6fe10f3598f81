// SPDX-License-Identifier: MIT
/* The measurements of the coverage bench with one set of line operations. */
#pragma once

#include "tests/coverage/experiment.h"
#include "tests/coverage/result.h"

#define BENCH_RESULTS_MAX 32
#define BENCH_MEMO_MAX    80
#define BENCH_LINES_MAX   2560 /* of a world */

/* What a test found, for when it is asked for again. */
struct memo {
    const struct world *world;
    const char *name;
    uint32_t rounds, first_data;
    bool all_orders;
    uint32_t *found_round; /* of each instance */
};

/* What may be in front of the cells. All zeros: nothing. */
struct behind {
    const char *name;  /* in behind=; NULL: nothing */
    const char *title; /* for people: "Behind ..." */
    enum dram_coding coding;
    struct cache_model model;
};

struct bench {
    struct experiment experiment;
    struct world between, within, neighbours;
    size_t n, n_memos;
    struct result result[BENCH_RESULTS_MAX];
    struct memo memo[BENCH_MEMO_MAX];
    bool good; /* the code under test never did what it must not */
    /* For people who wait, on standard error: a line as each result begins. NULL: none. */
    const char *progress;
    size_t n_rows; /* results there will be */
};

void bench_make(struct bench *b, const struct line_ops *ops, bool has_clflushopt,
                struct behind behind);
void bench_free(struct bench *b);

/* How many results bench_tests, bench_comparisons and bench_levels add; see there. */
size_t bench_count_tests(bool literature, const char *names);
size_t bench_count_levels(const char *names);
#define BENCH_COMPARISONS 5

/* Adds a result for every march test, on its own; background data: one round, the solid one.
 * literature: for those on backgrounds only. names: for these only, as "mats+,march-ss", or NULL.
 */
void bench_tests(struct bench *b, bool literature, const char *names);

/* Adds results for marches done wrongly, which the bench has to see, and for other programs' ways.
 */
void bench_comparisons(struct bench *b);

/* Their names; NULL past the end. */
const char *bench_level(size_t i);

/* Adds a result for each level: what any of its march tests detects, in its rounds. names: for
 * these only, or NULL. */
void bench_levels(struct bench *b, const char *names);
