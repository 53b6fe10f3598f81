// SPDX-License-Identifier: MIT
/*
 * The coverage bench: which faults each memory test detects, at the DRAM pins, with the machine
 * code that ships.
 *
 *     coverage [isa=NAME] [levels=no | tests=NAME,NAME,...] [table=FILE] [list=FILE]
 *     coverage behind=scrambler|encryption|controller|side-cache [isa=NAME] [tests=...]
 * [table=FILE]
 *     coverage marches=FILE
 *
 * isa: the line operations of one instruction set, or "widest"; else all that this CPU has, which
 * must agree. levels=no: the literature's tests only, on their own. tests: only these, and levels.
 * table: the table in Markdown; list: each test and fault. behind: with that between the caches and
 * the cells; the table has the share of faulty places that each test finds, in per cent, because
 * there it depends on the place. marches: the march tests in the table's order, and those of each
 * level, for march_sim.py, with their marches if they are on backgrounds, or on random data in one
 * round; nothing is measured. Each row is told on standard error as it begins. Exit status 1:
 * something is not detected that should be, or the other way round; 2: something was not
 * understood.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"
#include "tests/coverage/bench.h"
#include "tests/coverage/code.h"
#include "tests/coverage/trap.h"
#include "tests/host/cpu_features.h"

static const char *option(int n, char **arguments, const char *name)
{
    size_t length = strlen(name);

    for (int i = 1; i < n; i++) {
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=')
            return arguments[i] + length + 1;
    }
    return NULL;
}

static void write_file(const char *name, const struct bench *b,
                       void (*write)(const struct result *, size_t, FILE *))
{
    FILE *to = name ? fopen(name, "w") : NULL;

    if (!name)
        return;
    if (!to) {
        perror(name);
        exit(2);
    }
    write(b->result, b->n, to);
    ASSERT(fclose(to) == 0);
}

static void put_march(FILE *to, const char *name, const struct test *test)
{
    const bool is_simple =
        test->data == DATA_BACKGROUND || (test->rounds == 1 && test_has_seed(test));

    if (test->kind == TEST_MARCH)
        fprintf(to, "%s\t%s\n", name, is_simple ? test->notation : "");
}

static int list_marches(const char *name)
{
    FILE *to = fopen(name, "w");

    if (!to) {
        perror(name);
        return 2;
    }
    for (size_t i = 0; tests_row(i); i++)
        put_march(to, tests_row(i)->name, tests_row(i));
    for (size_t i = 0; bench_level(i); i++) {
        struct test_list list;
        struct test_word bad;

        ASSERT(tests_select(bench_level(i), "", &list, &bad) == STATUS_OK);
        for (size_t t = 0; t < list.n_tests; t++)
            put_march(to, bench_level(i), &list.test[t]);
    }
    ASSERT(fclose(to) == 0);
    return 0;
}

/* The line operations asked for; 0: this CPU has no such. */
static size_t choose(const char *isa, const struct line_ops *ret_ops[LINE_OPS_MAX])
{
    struct line_features features = {
        .avx512 = __builtin_cpu_supports("avx512f"),
        .avx2 = __builtin_cpu_supports("avx2"),
    };

    if (!isa)
        return line_ops_list(features, ret_ops);
    ret_ops[0] = line_ops_choose(features, strcmp(isa, "widest") == 0 ? NULL : isa);
    return ret_ops[0] ? 1 : 0;
}

/* names: as in tests=, or NULL. */
static void measure(struct bench *b, bool levels, const char *names)
{
    b->progress = b->experiment.ops->name;
    b->n_rows = bench_count_tests(!levels, names) + (names ? 0 : BENCH_COMPARISONS) +
                (levels ? bench_count_levels(names) : 0);
    bench_tests(b, !levels, names);
    if (!names)
        bench_comparisons(b);
    if (levels)
        bench_levels(b, names);
}

/*
 * Their sizes are in proportion to the worlds: the queue is no longer than the distance of a line's
 * operations in lanes, the side cache is larger than any such distance, and smaller than a world.
 */
static const struct behind behinds[] = {
    { "scrambler", "a scrambler", DRAM_SCRAMBLED, { 0 } },
    { "encryption", "encryption", DRAM_ENCRYPTED, { 0 } },
    { "controller",
      "a controller that merges and forwards 2 lines, and a prefetcher",
      DRAM_PLAIN,
      { .prefetches = true, .controller = CONTROLLER_QUEUE, .controller_lines = 2 } },
    { "side-cache",
      "a memory-side cache of 128 lines",
      DRAM_PLAIN,
      { .controller = CONTROLLER_SIDE_CACHE, .controller_lines = 128 } },
};

static const struct behind *find_behind(const char *name)
{
    for (size_t i = 0; i < sizeof(behinds) / sizeof(behinds[0]); i++) {
        if (strcmp(behinds[i].name, name) == 0)
            return &behinds[i];
    }
    return NULL;
}

/* The shares, by the first line operations only. */
static int measure_shares(const char *name, const struct line_ops *ops, bool clflushopt,
                          const char *tests, const char *table)
{
    static struct bench b;
    const struct behind *behind = find_behind(name);

    if (!behind) {
        printf("coverage: behind=%s is not scrambler, encryption, controller or side-cache\n",
               name);
        return 2;
    }
    bench_make(&b, ops, clflushopt, *behind);
    b.progress = behind->name;
    b.n_rows = bench_count_tests(false, tests) + bench_count_levels(tests);
    bench_tests(&b, false, tests);
    bench_levels(&b, tests);
    printf("Behind %s, per cent of the faulty places:\n\n", behind->title);
    results_print_shares(b.result, b.n, stdout);
    write_file(table, &b, results_markdown_shares);
    bench_free(&b);
    return !b.good;
}

/* Says which name is not one of a row. */
static bool all_are_known(const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',') {
        char name[64];

        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
        if (bench_count_tests(false, name) + bench_count_levels(name))
            continue;
        printf("coverage: tests=%s is neither a march test nor a level\n", name);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct bench first, other;
    const struct line_ops *ops[LINE_OPS_MAX];
    const char *with_levels = option(argc, argv, "levels"), *behind = option(argc, argv, "behind");
    const char *names = option(argc, argv, "tests");
    bool clflushopt = host_has_clflushopt();
    bool levels = !with_levels || strcmp(with_levels, "no") != 0, good;
    size_t n = choose(option(argc, argv, "isa"), ops);

    if (option(argc, argv, "marches"))
        return list_marches(option(argc, argv, "marches"));
    if (names && !all_are_known(names))
        return 2;
    if (!n) {
        printf("coverage: this CPU cannot do that\n");
        return 2;
    }
    code_prepare();
    trap_install(BENCH_LINES_MAX);
    if (behind)
        return measure_shares(behind, ops[0], clflushopt, names, option(argc, argv, "table"));
    bench_make(&first, ops[0], clflushopt, (struct behind){ 0 });
    measure(&first, levels, names);
    printf("With %s and clflush%s:\n\n", ops[0]->name, clflushopt ? "opt" : "");
    results_print(first.result, first.n, stdout);
    printf("\n");
    results_emit_sweeps(first.result, first.n, stdout);
    good = results_expected(first.result, first.n, levels, names) && first.good;
    for (size_t i = 1; i < n; i++) {
        bench_make(&other, ops[i], false, (struct behind){ 0 });
        measure(&other, levels, names);
        printf("\nWith %s and clflush: ", ops[i]->name);
        if (results_agree(other.result, first.result, first.n)) {
            printf("the same.\n");
        } else {
            printf("not the same!\n\n");
            results_print(other.result, other.n, stdout);
            good = false;
        }
        good = good && other.good;
        bench_free(&other);
    }
    write_file(option(argc, argv, "table"), &first, results_markdown);
    write_file(option(argc, argv, "list"), &first, results_list);
    bench_free(&first);
    return !good;
}
