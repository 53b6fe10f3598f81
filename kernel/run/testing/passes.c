// SPDX-License-Identifier: MIT
#include "testing/passes.h"

#include "calibration/selection.h"
#include "ecc/ecc.h"
#include "verdict/kind_emit.h"
#include "progress/progress.h"
#include "event/stop.h"
#include "plan/plan.h"
#include "plan/tested.h"
#include "plan/unpaired.h"
#include "self/blame.h"
#include "self/upkeep.h"
#include "testing/counts.h"
#include "testing/deferred.h"
#include "testing/element.h"
#include "testing/relocation.h"
#include "testing/rounds.h"
#include "testing/split_wait.h"
#include "testing/three_legs.h"
#include "testing/vacated.h"

/*
 * okram moves to memory that has just been tested, and a test for pairs covers what it has left,
 * together with all that is unpaired.
 */
static void run_on_vacated(struct test_run *run, struct rounds rounds)
{
    struct vacated vacated = { .relocate = true,
                               .pairs = VACATED_WITH_UNPAIRED,
                               .completes = rounds.end == run->test->rounds };

    if (relocation_is_due(run->test))
        vacated_run(run, &vacated, rounds);
}

/* Rounds of a test, over all memory except okram's own. */
static void run_main(struct test_run *run, struct rounds rounds)
{
    const struct test *test = run->test;

    rounds_run(run, rounds);
    if (stop_is_requested())
        return;
    if (rounds.end == test->rounds && test->kind != TEST_HAMMER)
        tested_all_except(NULL, 0);
    if (selection_is_strongest_coupling_test(test))
        unpaired_main_is_tested();
}

/* With two parts okram is in two places, and each place is once tested together with the rest. */
static uint32_t parts_of(const struct test *test)
{
    return relocation_covers_pairs(test) && test->rounds > 1 ? 2 : 1;
}

static void run_parts(struct test_run *run)
{
    uint32_t all = run->test->rounds;

    for (uint32_t i = 0, n = parts_of(run->test); i < n && !stop_is_requested(); i++) {
        struct rounds rounds = rounds_all(run);

        rounds.first = all * i / n;
        rounds.end = all * (i + 1) / n;
        run_main(run, rounds);
        if (!stop_is_requested())
            run_on_vacated(run, rounds);
    }
}

/* Whether it may cover okram's own memory some time after all the rest. */
static bool may_defer(const struct test *test)
{
    return relocation_is_due(test) && !split_wait_applies_to(test) &&
           !relocation_covers_pairs(test);
}

/* Covers all memory, for a test that may not be deferred. */
static void run_all(struct test_run *run)
{
    if (split_wait_applies_to(run->test))
        split_wait_run(run);
    else if (!three_legs_apply_to(run->test) || !three_legs_run(run))
        run_parts(run);
}

/* One test of a pass. */
static void run_test(struct test_run *run)
{
    bool waits = may_defer(run->test);
    uint32_t index = run->place.test;
    struct counts counts = { 0 }, then = counts_now(index);

    element_cut_shares(run->shares, &run->place);
    rounds_begin(run, plan.tested_bytes);
    if (waits)
        run_main(run, rounds_all(run));
    else
        run_all(run);
    upkeep_full();
    counts_add_since(&counts, index, then);
    if (waits)
        deferred_add(run, counts);
    else
        counts_send(run, &counts);
}

/* The time that it waits in all its rounds, over all memory. */
static uint64_t wait_of(const struct test *test)
{
    uint64_t ms = test_pause_ms(test);

    if (split_wait_applies_to(test))
        return split_wait_ms(test);
    return relocation_is_due(test) ? 2 * ms : ms;
}

static void begin_pass(void)
{
    struct time_left_pass pass = { .sweep_bytes = plan.tested_bytes };
    uint64_t sweeps = 0, wait_us = 0;

    for (size_t i = 0; i < selection.tests.n_tests; i++) {
        const struct test *test = &selection.tests.test[i];

        sweeps += test_sweeps(test);
        pass.work += (double)(test_sweeps(test) * plan.tested_bytes) * selection.cost[i];
        wait_us += wait_of(test) * 1000;
        if (test->kind == TEST_HAMMER)
            wait_us += selection.hammer_s * UINT64_C(1000000);
    }
    pass.wait_s = (double)wait_us / 1e6;
    progress_pass(sweeps * plan.tested_bytes, pass);
}

static void run_pass(struct shares *shares, uint32_t pass, uint64_t seed)
{
    static struct test_run run; /* larger than most stacks' frames */

    begin_pass();
    for (uint32_t i = 0; i < selection.tests.n_tests && !stop_is_requested(); i++) {
        if (!may_defer(&selection.tests.test[i]))
            deferred_finish(&run);
        if (stop_is_requested())
            return;
        test_run_init(shares, i, pass, seed, &run);
        run_test(&run);
        if (deferred_are_due())
            deferred_finish(&run);
    }
    deferred_finish(&run);
}

void passes_prepare(void)
{
    three_legs_prepare();
}

/* Grows with whatever shows that memory is bad. */
static uint64_t count_errors(void)
{
    const struct ecc_count *ecc = ecc_so_far();

    return fault_log_faults(&fault_log) + fault_log_bad_pages(&fault_log) + ecc->corrected +
           ecc->uncorrected;
}

/* Another pass. */
static void run_next(struct shares *shares, struct run_done *done)
{
    uint64_t errors = count_errors();
    bool failed;

    run_pass(shares, done->passes + 1, done->seed + done->passes);
    failed = count_errors() != errors;
    done->failed += failed;
    done->cut_failed = failed && stop_is_requested();
    done->passes += !stop_is_requested();
}

struct run_done passes_run(struct shares *shares, struct pass_limits limits, uint64_t seed)
{
    struct run_done done = { .seed = seed };

    while ((!limits.passes || done.passes < limits.passes) &&
           (!limits.failed || done.failed < limits.failed) && !stop_is_requested()) {
        if (done.passes)
            kind_emit_pass(&done);
        run_next(shares, &done);
    }
    if (blame_has_internal_error()) /* no result is to be trusted */
        done.passes = done.failed = done.cut_failed = 0;
    done.stopped = stop_is_requested();
    done.tests = counts_ended(done.passes + 1);
    done.reads = counts_all().reads;
    done.seconds = (double)counts_all().us / 1e6;
    return done;
}
