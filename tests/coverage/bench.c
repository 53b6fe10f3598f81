// SPDX-License-Identifier: MIT
#include "tests/coverage/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/panic.h"
#include "tests/coverage/cached_ops.h"

void bench_make(struct bench *b, const struct line_ops *ops, bool has_clflushopt,
                struct behind behind)
{
    *b = (struct bench){
        .experiment = { .ops = ops,
                        .has_clflushopt = has_clflushopt,
                        .model = behind.model,
                        .by_shares = behind.name != NULL },
        .good = true,
    };
    world_make_between(&b->between);
    world_make_within(&b->within);
    world_make_neighbours(&b->neighbours);
    b->between.dram.coding = b->within.dram.coding = b->neighbours.dram.coding = behind.coding;
}

void bench_free(struct bench *b)
{
    world_free(&b->between);
    world_free(&b->within);
    world_free(&b->neighbours);
    for (size_t i = 0; i < b->n_memos; i++)
        free(b->memo[i].found_round);
}

static const struct memo *memo_find(const struct bench *b, const struct world *w,
                                    const struct test *test)
{
    for (size_t i = 0; i < b->n_memos; i++) {
        const struct memo *m = &b->memo[i];

        if (m->world == w && m->rounds == test->rounds && m->first_data == test->first_data &&
            m->all_orders == b->experiment.all_orders && strcmp(m->name, test->name) == 0)
            return m;
    }
    return NULL;
}

static void memo_keep(struct bench *b, const struct world *w, const struct test *test)
{
    struct memo *m = &b->memo[b->n_memos++];

    ASSERT(b->n_memos <= BENCH_MEMO_MAX);
    *m = (struct memo){
        w,
        test->name,
        test->rounds,
        test->first_data,
        b->experiment.all_orders,
        malloc(w->n_instances * sizeof(*m->found_round)),
    };
    ASSERT(m->found_round);
    for (uint32_t i = 0; i < w->n_instances; i++)
        m->found_round[i] = w->instance[i].found_round;
}

/*
 * Sets found_round of the world's instances. A test that orders all lines is run in all orders, but
 * for shares, of which the order changes little, in one.
 */
static void run(struct bench *b, struct world *w, const struct march *march,
                const struct test *test)
{
    const struct memo *m;
    const char *broken;

    b->experiment.passes = w == &b->neighbours ? RESULT_PASSES_MAX : 1;
    b->experiment.all_orders = !b->experiment.by_shares && test_orders_all(test, march);
    m = memo_find(b, w, test);
    for (uint32_t i = 0; m && i < w->n_instances; i++)
        w->instance[i].found_round = m->found_round[i];
    if (m)
        return;
    if (!experiment_run(&b->experiment, w, march, test, &broken)) {
        printf("%s, %s: %s\n", b->experiment.ops->name, test->name, broken);
        b->good = false;
    }
    memo_keep(b, w, test);
}

static void tell_progress(const struct bench *b, const char *name)
{
    if (b->progress)
        fprintf(stderr, "coverage: %s, row %zu of %zu, after %.0f s of this CPU: %s\n", b->progress,
                b->n + 1, b->n_rows, (double)clock() / CLOCKS_PER_SEC, name);
}

static struct result *add_result(struct bench *b, const char *name, uint32_t sweeps)
{
    ASSERT(b->n < BENCH_RESULTS_MAX);
    tell_progress(b, name);
    b->result[b->n] = result_make(name, sweeps);
    return &b->result[b->n++];
}

/* Of tests of one pass: only those that wait find any. */
static void measure_leaks(struct bench *b, const struct test *tests, size_t n_tests,
                          struct result *r)
{
    struct world *w = &b->neighbours;
    uint32_t *found_pass = malloc(w->n_instances * sizeof(*found_pass));

    ASSERT(found_pass);
    memset(found_pass, 0xff, w->n_instances * sizeof(*found_pass)); /* NOT_FOUND */
    for (size_t t = 0; t < n_tests; t++) {
        struct march march;

        if (!test_pause_ms(&tests[t]))
            continue;
        test_march(&tests[t], &march);
        run(b, w, &march, &tests[t]);
        for (uint32_t i = 0; i < w->n_instances; i++) {
            uint32_t round = w->instance[i].found_round;

            if (round != NOT_FOUND && round / tests[t].rounds < found_pass[i])
                found_pass[i] = round / tests[t].rounds;
        }
    }
    result_judge_leaks(r, found_pass, w->n_instances);
    free(found_pass);
}

/* On one background between lines, on as many as bits of words and lines need within. */
static void measure(struct bench *b, const struct test *test, const struct march *march)
{
    struct result *r = add_result(b, test->name, march_sweeps(march) * test->rounds);
    bool one_background = test->data == DATA_BACKGROUND;
    struct test within = *test;

    run(b, &b->between, march, test);
    result_judge(r, &b->between, test->rounds, test_orders_all(test, march));
    if (one_background)
        within.rounds = DATA_BACKGROUNDS_LINE;
    run(b, &b->within, march, &within);
    for (uint32_t i = 0; i < b->within.n_instances && one_background; i++) {
        struct instance *instance = &b->within.instance[i];

        if (instance->row < ROW_LINE && instance->found_round >= DATA_BACKGROUNDS_WORD)
            instance->found_round = NOT_FOUND;
    }
    result_judge(r, &b->within, within.rounds, true);
    measure_leaks(b, test, 1, r);
}

static bool is_wanted(const struct test *test, bool literature, const char *names)
{
    return test->kind == TEST_MARCH && (!literature || test->data == DATA_BACKGROUND) &&
           (!names || result_is_named(test->name, names));
}

size_t bench_count_tests(bool literature, const char *names)
{
    size_t n = 0;

    for (size_t i = 0; tests_row(i); i++)
        n += is_wanted(tests_row(i), literature, names);
    return n;
}

void bench_tests(struct bench *b, bool literature, const char *names)
{
    for (size_t i = 0; tests_row(i); i++) {
        struct test test = *tests_row(i);
        struct march march;

        if (!is_wanted(&test, literature, names))
            continue;
        if (test.data == DATA_BACKGROUND)
            test.rounds = 1;
        test_march(&test, &march);
        measure(b, &test, &march);
    }
}

static void forget(struct march *march, enum march_before before)
{
    for (uint32_t i = 0; i < march->n_elements; i++) {
        for (uint32_t k = 0; k < march->element[i].n_ops; k++) {
            struct march_op *op = &march->element[i].op[k];

            op->before = op->before == before ? MARCH_NOTHING : op->before;
        }
    }
}

/*
 * March MSS as if the code did not care for caches, or only half. Plain loads and stores go through
 * the smallest cache that there can be.
 */
static void measure_careless(struct bench *b)
{
    struct experiment shipped = b->experiment;
    struct test test = { .kind = TEST_MARCH, .data = DATA_BACKGROUND, .rounds = 1 };
    struct march march, careless;

    for (size_t i = 0; !test.notation; i++) {
        ASSERT(tests_row(i));
        if (strcmp(tests_row(i)->name, "march-mss") == 0)
            test.notation = tests_row(i)->notation;
    }
    test_march(&test, &march);

    test.name = "march-mss, without fences";
    careless = march;
    forget(&careless, MARCH_FENCE);
    measure(b, &test, &careless);

    test.name = "march-mss, without flushes";
    careless = march;
    forget(&careless, MARCH_FLUSH);
    measure(b, &test, &careless);

    test.name = "march-mss, plain loads and stores";
    forget(&careless, MARCH_FENCE);
    b->experiment.ops = &cached_ops;
    b->experiment.model.forgetful = true;
    measure(b, &test, &careless);
    b->experiment = shipped;
}

/* memtest86+ repeats each up and down two to six times; more than two detect no more. */
static void measure_moving_inversions(struct bench *b)
{
#define ONE   "any(w0);up(r0,w1);down(r1,w0);up(r0,w1);down(r1,w0)"
#define OTHER "any(w1);up(r1,w0);down(r0,w1);up(r1,w0);down(r0,w1)"
    static const struct {
        const char *name, *notation;
    } ways[] = {
        { "moving inversions, one pattern", ONE },
        { "moving inversions, and complement", ONE ";" OTHER },
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct test test = {
            .name = ways[i].name,
            .kind = TEST_MARCH,
            .notation = ways[i].notation,
            .data = DATA_BACKGROUND,
            .rounds = 1,
        };
        struct march march;

        test_march(&test, &march);
        measure(b, &test, &march);
    }
}

void bench_comparisons(struct bench *b)
{
    measure_careless(b);
    measure_moving_inversions(b);
}

static void measure_level(struct bench *b, struct world *w, const struct test_list *list,
                          struct result *r)
{
    bool *found = calloc(w->n_instances, sizeof(*found)), all_ordered = false;

    ASSERT(found);
    for (size_t t = 0; t < list->n_tests; t++) {
        struct march march;

        if (list->test[t].kind != TEST_MARCH)
            continue;
        test_march(&list->test[t], &march);
        all_ordered |= test_orders_all(&list->test[t], &march);
        run(b, w, &march, &list->test[t]);
        for (uint32_t i = 0; i < w->n_instances; i++)
            found[i] |= w->instance[i].found_round != NOT_FOUND;
    }
    for (uint32_t i = 0; i < w->n_instances; i++)
        w->instance[i].found_round = found[i] ? 0 : NOT_FOUND;
    result_judge(r, w, 1, all_ordered);
    free(found);
}

static void add_level(struct bench *b, const char *level)
{
    struct result *r = add_result(b, level, 0);
    struct test_list list;
    struct test_word bad;

    ASSERT(tests_select(level, "", &list, &bad) == STATUS_OK);
    for (size_t t = 0; t < list.n_tests; t++)
        r->sweeps += test_sweeps(&list.test[t]);
    measure_level(b, &b->between, &list, r);
    measure_level(b, &b->within, &list, r);
    measure_leaks(b, list.test, list.n_tests, r);
}

const char *bench_level(size_t i)
{
    static const char *const levels[] = { "quick", "standard", "thorough", LEVEL_HOT,
                                          LEVEL_STABILITY };

    return i < sizeof(levels) / sizeof(levels[0]) ? levels[i] : NULL;
}

size_t bench_count_levels(const char *names)
{
    size_t n = 0;

    for (size_t i = 0; bench_level(i); i++)
        n += !names || result_is_named(bench_level(i), names);
    return n;
}

void bench_levels(struct bench *b, const char *names)
{
    for (size_t i = 0; bench_level(i); i++) {
        if (!names || result_is_named(bench_level(i), names))
            add_level(b, bench_level(i));
    }
}
