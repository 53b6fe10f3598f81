// SPDX-License-Identifier: MIT
#include "run/selection.h"

#include "arch/paging.h"
#include "arch/tsc.h"
#include "event/notices.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/engine.h"

/* Of a wrong word in a warning. */
#define SHOWN_CHARS 32

/* What is measured to choose line operations: so much of the tested memory, so often. */
#define TRIAL_BYTES  (UINT64_C(1) << 20)
#define TRIAL_ROUNDS 3
#define TRIAL_MARCH  "any(w0);up(r0,w1);any(r1)"
#define TRIAL_WAITS  "any(w0);up(r0,r0,w1,w1)"

/* What is measured of each test: briefly, as an emulator's host may do something else meanwhile. */
#define COST_BYTES  (UINT64_C(64) << 10)
#define COST_ROUNDS 5

struct selection selection;

static void warn_of_tests(const char *words, struct test_word bad)
{
    char names[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(names, sizeof(names));
    int shown = bad.length < SHOWN_CHARS ? (int)bad.length : SHOWN_CHARS;

    for (size_t i = 0; tests_row(i); i++)
        fmt_append(&b, " %s", tests_row(i)->name);
    warn_print(&notices,
               "tests=, character %zu: \"%.*s\" is no test or level, standard is run; expected "
               "quick, standard, thorough or of%s",
               bad.position + 1, shown, words + bad.position, names);
}

static void choose_tests(const struct options *options)
{
    struct test_word bad;
    struct march_error error;

    switch (tests_select(options->tests, &selection.tests, &bad)) {
    case STATUS_OK:
        break;
    case STATUS_NO_SPACE:
        warn_print(&notices, "tests=, character %zu: more than %d tests, standard is run",
                   bad.position + 1, TEST_LIST_MAX);
        break;
    default:
        warn_of_tests(options->tests, bad);
    }
    if (!selection.tests.n_tests)
        ASSERT(tests_select("standard", &selection.tests, &bad) == STATUS_OK);
    if (!options->march[0])
        return;
    switch (tests_add_march(&selection.tests, options->march, &error)) {
    case STATUS_OK:
        break;
    case STATUS_INVALID:
        warn_print(&notices, "march=%s: at character %zu, %s was expected; it is not run",
                   options->march, error.position + 1, error.expected);
        break;
    default:
        warn_print(&notices, "march=%s: there are too many tests already; it is not run",
                   options->march);
    }
}

/* A piece of tested memory to measure line operations on. */
static struct span trial_span(void)
{
    struct span best = { 0 };

    for (size_t i = 0; i < plan.first[plan.n_workers]; i++) {
        struct span s = share_longest_kept(plan.part[i].span);

        if (s.size > TRIAL_BYTES)
            s.size = TRIAL_BYTES;
        if (s.size > best.size)
            best = s;
    }
    return best;
}

static void ignore(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
}

/* A march on a little memory. */
struct trial {
    const struct line_ops *ops;
    enum order_lanes lanes;
    struct data data;
    struct march march;
};

static struct trial trial_of(const struct line_ops *ops, const char *notation,
                             enum order_lanes lanes)
{
    struct trial t = { .ops = ops, .lanes = lanes, .data = data_background(0) };
    struct march_error error;

    ASSERT(march_parse(notation, &t.march, &error) == MARCH_OK);
    return t;
}

/* How long it takes: the shortest of some rounds. */
static uint64_t run_trial(const struct trial *t, unsigned rounds, struct span s)
{
    struct sweep sweep = { .ops = t->ops,
                           .has_clflushopt = machine.cpu.clflushopt,
                           .lanes = t->lanes,
                           .faults = { .report = ignore, .ctx = NULL } };
    uint64_t best = UINT64_MAX;

    for (unsigned round = 0; round < rounds; round++) {
        uint64_t began = tsc_now(), took;

        for (uint32_t i = 0; i < t->march.n_elements; i++) {
            if (t->march.element[i].kind != MARCH_PAUSE)
                sweep_element(&sweep, &t->march.element[i], &t->data,
                              (struct slice){ direct(s.base), s.base, s.size / LINE_SIZE });
        }
        took = tsc_now() - began;
        best = min_u64(best, took);
    }
    return best;
}

static uint64_t trial(const struct line_ops *candidate, const char *notation,
                      enum order_lanes lanes, struct span s)
{
    struct trial t = trial_of(candidate, notation, lanes);

    return run_trial(&t, TRIAL_ROUNDS, s);
}

static uint32_t ops_of(const struct march *march)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < march->n_elements; i++)
        n += march->element[i].kind == MARCH_PAUSE ? 0 : march->element[i].n_ops;
    return n;
}

/* In ticks a byte. Block move, which has no march, is taken to be like a usual one. */
static double measure_cost(const struct test *test, struct span s)
{
    struct trial t = trial_of(selection.ops, TRIAL_MARCH, ORDER_ONE_LANE);

    if (test->kind == TEST_MARCH) {
        test_march(test, &t.march);
        t.data = data_make(test->data, 0, 0);
        t.lanes = test->rounds > 1 && selection.lanes ? ORDER_LANES : ORDER_ONE_LANE;
    }
    s.size = min_u64(s.size, COST_BYTES);
    return (double)run_trial(&t, COST_ROUNDS, s) / (double)(ops_of(&t.march) * s.size);
}

static void choose_ops(const struct options *options, struct span s)
{
    static const char *const isa_names[] = {
        [OPTION_ISA_SCALAR] = "scalar",
        [OPTION_ISA_SSE2] = "sse2",
        [OPTION_ISA_AVX2] = "avx2",
        [OPTION_ISA_AVX512] = "avx512",
    };
    struct line_features features = {
        .avx512 = machine.cpu.avx512,
        .avx2 = machine.cpu.avx2,
        .clflushopt = machine.cpu.clflushopt,
    };
    const struct line_ops *candidates[LINE_OPS_MAX];
    size_t n = line_ops_list(features, candidates);
    uint64_t best = UINT64_MAX;

    if (options->isa != OPTION_ISA_AUTO) {
        selection.ops = line_ops_choose(features, isa_names[options->isa]);
        if (selection.ops)
            return;
        warn_print(&notices, "isa=%s: this CPU has no such instructions; the fastest are used",
                   isa_names[options->isa]);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t ticks = trial(candidates[i], TRIAL_MARCH, ORDER_ONE_LANE, s);

        if (ticks < best) {
            best = ticks;
            selection.ops = candidates[i];
        }
    }
}

void selection_make(const struct options *options)
{
    struct span s;

    do
        s = trial_span();
    while (own_aliases_guard_span(s));
    choose_tests(options);
    tests_set_fade(&selection.tests, options->fade_s);
    selection.hammer_s = options->hammer_s;
    choose_ops(options, s);
    selection.lanes = trial(selection.ops, TRIAL_WAITS, ORDER_LANES, s) <
                      trial(selection.ops, TRIAL_WAITS, ORDER_ONE_LANE, s);
    for (size_t i = 0; i < selection.tests.n_tests; i++)
        selection.cost[i] = measure_cost(&selection.tests.test[i], s);
}

bool selection_finds_most_pairs(const struct test *test)
{
    uint32_t most = tests_most_pairs(&selection.tests);

    return most && test->pairs == most;
}
