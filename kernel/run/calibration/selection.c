// SPDX-License-Identifier: MIT
#include "calibration/selection.h"

#include "arch/tsc.h"
#include "calibration/calibration.h"
#include "calibration/speed_class.h"
#include "calibration/speeds.h"
#include "event/notices.h"
#include "machine/machine.h"
#include "options/options.h"

/* What is measured to choose line operations: bytes of the tested memory, and how often. */
#define CALIBRATION_BYTES  (UINT64_C(128) << 10)
#define CALIBRATION_ROUNDS 3

/* Where the tests have random data for a smaller share of their sweeps, these are not measured. */
#define LOAD_SHARE_MIN 0.1

/*
 * What is measured of each test: short, because an emulator's host may do something else meanwhile.
 */
#define COST_BYTES  (UINT64_C(64) << 10)
#define COST_ROUNDS 3

/* What a candidate is measured by. */
struct candidate {
    struct calibration load[TEST_COSTS];
};

/* Candidates of which one is to be chosen. */
struct choice {
    const struct candidate *candidate;
    size_t n;
    const double *sweeps; /* of each load */
    size_t n_loads;
    double tie; /* as for speed_class_best */
};

/* Bytes a tick of a worker's CPU, over all loads by what each of them sweeps. 0: unknown. */
static double speed_of(struct trials trials, const struct choice *c, size_t i, uint32_t worker,
                       struct span s)
{
    double speed[TEST_COSTS] = { 0 };

    for (size_t k = 0; k < c->n_loads; k++) {
        if (c->sweeps[k] > 0)
            speed[k] =
                calibration_speed(trials, &c->candidate[i].load[k], worker, CALIBRATION_ROUNDS, s);
    }
    return speed_class_mean(speed, c->sweeps, c->n_loads);
}

/*
 * The candidate with which all CPUs together are fastest, by the fastest and the slowest of them.
 */
static size_t fastest_for_all(struct trials trials, const struct choice *c)
{
    const struct plan *plan = trials.shares->plan;
    uint32_t fast = speeds_fastest(plan), slow = speeds_slowest(plan),
             n_fast = speeds_count_fast(plan);
    struct span fast_span = calibration_span(trials, fast, CALIBRATION_BYTES), slow_span = { 0 };
    double by_fast[LINE_OPS_MAX], by_slow[LINE_OPS_MAX] = { 0 };

    if (slow != fast)
        slow_span = calibration_span(trials, slow, CALIBRATION_BYTES);
    for (size_t i = 0; i < c->n; i++) {
        by_fast[i] = speed_of(trials, c, i, fast, fast_span);
        if (slow != fast)
            by_slow[i] = speed_of(trials, c, i, slow, slow_span);
    }
    return speed_class_best((struct speed_class_kind){ n_fast, by_fast },
                            (struct speed_class_kind){ plan->n_workers - n_fast, by_slow }, c->n,
                            c->tie);
}

/* In ticks a byte. Block move, which has no march, counts like the usual march. */
static double measure_cost(const struct selection *selection, struct trials trials, uint32_t index,
                           uint32_t worker, struct span s)
{
    const struct test *test = &selection->tests.test[index];
    struct calibration t =
        calibration_init(selection_ops(selection, index), CALIBRATION_MARCH, ORDER_ONE_LANE);
    double speed;

    if (test->kind == TEST_MARCH) {
        test_march(test, &t.march);
        t.data = data_make(test->data, 0, 0);
        t.lanes = selection_order(selection, ORDER_LINES);
    }
    speed = calibration_speed(trials, &t, worker, COST_ROUNDS, s);
    if (test->in_pulses)
        speed *= PULSE_MEAN_DUTY / 100.0;
    return speed > 0 ? 1 / speed : 1;
}

static void measure_costs(struct selection *selection, struct trials trials)
{
    uint32_t worker = speeds_fastest(trials.shares->plan);
    struct span s = calibration_span(trials, worker, COST_BYTES);

    for (uint32_t i = 0; i < selection->tests.n_tests; i++)
        selection->cost[i] = measure_cost(selection, trials, i, worker, s);
}

static void note_lanes(struct selection *selection)
{
    struct march march;

    for (size_t i = 0; i < selection->tests.n_tests; i++) {
        if (selection->tests.test[i].kind != TEST_MARCH)
            continue;
        test_march(&selection->tests.test[i], &march);
        selection->has_lanes[i] = sweep_has_lanes(&march);
        selection->orders_all_pairs[i] = test_orders_all(&selection->tests.test[i], &march);
    }
}

struct line_features selection_features(void)
{
    return (struct line_features){
        .avx512 = machine.cpu.avx512,
        .avx2 = machine.cpu.avx2,
        .clflushopt = machine.cpu.clflushopt,
    };
}

void selection_note_no_isa(const char *option, const char *name)
{
    notice(machine.n_online > 1 ? "%s=%s: not all CPUs have such instructions; the fastest are used"
                                : "%s=%s: this CPU has no such instructions; the fastest are used",
           option, name);
}

/* What isa= names; NULL: auto, by measurement. */
static const struct line_ops *named_ops(const struct options *options)
{
    const char *name = option_isa_name(options->isa);
    const struct line_ops *ops = name ? line_ops_choose(selection_features(), name) : NULL;

    if (name && !ops)
        selection_note_no_isa("isa", name);
    return ops;
}

/* sweeps: of tests with each kind of data. */
static const struct line_ops *fastest_ops(struct trials trials, const double sweeps[TEST_COSTS])
{
    static struct candidate candidate[LINE_OPS_MAX];
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n = line_ops_list(selection_features(), ops);
    const struct choice choice = { candidate, n, sweeps, TEST_COSTS, SPEED_CLASS_TIE };

    for (size_t i = 0; i < n; i++) {
        for (size_t cost = 0; cost < TEST_COSTS; cost++)
            candidate[i].load[cost] = calibration_init(ops[i], CALIBRATION_MARCH, ORDER_ONE_LANE);
        candidate[i].load[TEST_COST_ADDRESS].data = data_make(DATA_ADDRESS, 0, 0);
        candidate[i].load[TEST_COST_RANDOM].data = data_make(DATA_RANDOM, 0, 0);
    }
    return ops[fastest_for_all(trials, &choice)];
}

/* The line operations that all CPUs together are fastest with, by what the tests do. */
static void choose_ops(struct selection *selection, struct trials trials)
{
    double of[TEST_COSTS], address[TEST_COSTS] = { 0 };

    tests_count_sweeps(&selection->tests, of);
    address[TEST_COST_ADDRESS] = of[TEST_COST_ADDRESS];
    of[TEST_COST_ADDRESS] = 0;
    if (of[TEST_COST_RANDOM] < LOAD_SHARE_MIN * of[TEST_COST_PLAIN])
        of[TEST_COST_RANDOM] = 0;
    if (of[TEST_COST_RANDOM] <= 0)
        of[TEST_COST_PLAIN] = 1;
    selection->ops = fastest_ops(trials, of);
    selection->address_ops =
        address[TEST_COST_ADDRESS] > 0 ? fastest_ops(trials, address) : selection->ops;
}

/* Whether it is faster than line after line. */
static bool is_faster(const struct line_ops *ops, struct trials trials, enum order_lanes order)
{
    static const double only = 1;
    static struct candidate candidate[2];
    const struct choice choice = { candidate, 2, &only, 1, 0 };

    candidate[0].load[0] = calibration_init(ops, CALIBRATION_WAITS, ORDER_ONE_LANE);
    candidate[1].load[0] = calibration_init(ops, CALIBRATION_WAITS, order);
    return fastest_for_all(trials, &choice) == 1;
}

void selection_make(struct selection *selection, struct trials trials,
                    const struct options *options)
{
    const struct line_ops *named = named_ops(options);

    tests_set_fade(&selection->tests, options->fade_s);
    selection->hammer_s = options->hammer_s;
    speeds_measure(trials, named ? named : line_ops_choose(selection_features(), NULL));
    selection->ops = selection->address_ops = named;
    if (!named)
        choose_ops(selection, trials);
    selection->lines = is_faster(selection->ops, trials, ORDER_LINES);
    selection->lanes = is_faster(selection->ops, trials, ORDER_LEG_LANES);
    measure_costs(selection, trials);
    note_lanes(selection);
    selection->pulses = pulse_schedule_make(tsc_hz(), tsc_now(), 0);
}
