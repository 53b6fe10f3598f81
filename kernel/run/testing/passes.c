// SPDX-License-Identifier: MIT
#include "testing/passes.h"

#include "ecc/ecc.h"
#include "plan/share.h"
#include "verdict/kind_emit.h"
#include "progress/progress.h"
#include "event/stop.h"
#include "self/self_check.h"
#include "testing/counts.h"
#include "testing/deferred.h"
#include "testing/element.h"
#include "testing/relocation.h"
#include "testing/rounds.h"
#include "testing/split_wait.h"
#include "testing/three_legs.h"

/*
 * okram moves to memory that has just been tested, and a test for pairs covers what it has left,
 * together with all that is unpaired.
 */
static void run_on_vacated(struct test_run *run, struct rounds rounds)
{
    struct vacated vacated = { .relocate = true,
                               .pairs = VACATED_WITH_UNPAIRED,
                               .completes = rounds.end == run->test->rounds };

    if (relocation_is_due(&run->whole->plan, run->test))
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
        tested_all_except(&run->whole->tested, NULL, 0);
    if (selection_is_strongest_coupling_test(&run->whole->selection, test))
        unpaired_main_is_tested(&run->whole->unpaired);
}

/* With two parts okram is in two places, and each place is once tested together with the rest. */
static uint32_t parts_of(const struct run *run, const struct test *test)
{
    return relocation_covers_pairs(run, test) && test->rounds > 1 ? 2 : 1;
}

static void run_parts(struct test_run *run)
{
    uint32_t all = run->test->rounds;

    for (uint32_t i = 0, n = parts_of(run->whole, run->test); i < n && !stop_is_requested(); i++) {
        struct rounds rounds = rounds_all(run);

        rounds.first = all * i / n;
        rounds.end = all * (i + 1) / n;
        run_main(run, rounds);
        if (!stop_is_requested())
            run_on_vacated(run, rounds);
    }
}

/* Whether it may cover okram's own memory some time after all the rest. */
static bool may_defer(const struct run *run, const struct test *test)
{
    return relocation_is_due(&run->plan, test) && !split_wait_applies_to(&run->plan, test) &&
           !relocation_covers_pairs(run, test);
}

/* Covers all memory, for a test that may not be deferred. */
static void run_all(struct test_run *run)
{
    if (split_wait_applies_to(&run->whole->plan, run->test))
        split_wait_run(run);
    else if (!three_legs_apply_to(run->whole, run->test) || !three_legs_run(run))
        run_parts(run);
}

/* One test of a pass. */
static void run_test(struct test_run *run)
{
    const struct fault_log *log = &run->whole->found.log;
    bool waits = may_defer(run->whole, run->test);
    uint32_t index = run->place.test;
    struct counts counts = { 0 }, then = counts_now(log, index);

    element_cut_shares(run->whole, &run->place);
    rounds_begin(run, run->whole->plan.tested_bytes);
    if (waits)
        run_main(run, rounds_all(run));
    else
        run_all(run);
    self_check_all(&run->whole->found.log);
    counts_add_since(log, &counts, index, then);
    if (waits && !stop_is_skip())
        deferred_add(run, counts);
    else
        counts_send(run, &counts);
}

/* The microseconds that it waits in all its rounds, over all memory, or for which it hammers. */
static uint64_t wait_of(const struct run *run, const struct test *test)
{
    const struct plan *plan = &run->plan;
    uint64_t ms = test_pause_ms(test);

    if (test->kind == TEST_HAMMER)
        return run->selection.hammer_s * UINT64_C(1000000);
    if (split_wait_applies_to(plan, test))
        ms = split_wait_ms(plan, test);
    else if (relocation_is_due(plan, test))
        ms *= 2;
    return ms * 1000;
}

static void begin_pass(const struct run *run)
{
    const struct selection *selection = &run->selection;
    uint64_t bytes = run->plan.tested_bytes;
    struct time_left_pass pass = { .sweep_bytes = bytes };
    uint64_t sweeps = 0, wait_us = 0;

    for (size_t i = 0; i < selection->tests.n_tests; i++) {
        const struct test *test = &selection->tests.test[i];

        sweeps += test_sweeps(test);
        pass.work += (double)(test_sweeps(test) * bytes) * selection->cost[i];
        wait_us += wait_of(run, test);
    }
    pass.wait_s = (double)wait_us / 1e6;
    progress_pass(sweeps * bytes, pass);
}

/* A test, with those that were deferred until now, is over. Returns whether it was skipped. */
static bool end_test(struct test_run *run, bool another_begins)
{
    bool skipped = stop_take_skip(another_begins);

    if (skipped) {
        share_main(&run->whole->shares); /* it may have ended at any place */
        progress_skip(wait_of(run->whole, run->test));
    }
    return skipped;
}

/* Returns how many tests were skipped. */
static uint32_t run_pass(struct run *whole, uint32_t pass, uint64_t seed)
{
    static struct test_run run; /* larger than most stacks' frames */
    const struct test_list *tests = &whole->selection.tests;
    uint32_t skipped = 0;

    begin_pass(whole);
    stop_take_skip(false);
    for (uint32_t i = 0; i < tests->n_tests && !stop_is_requested(); i++) {
        if (!may_defer(whole, &tests->test[i]))
            deferred_finish(&run);
        if (stop_is_requested())
            return skipped;
        test_run_init(whole, i, pass, seed, &run);
        stop_take_skip(true);
        run_test(&run);
        skipped += end_test(&run, true);
        if (deferred_are_due())
            deferred_finish(&run);
        skipped += end_test(&run, false);
    }
    deferred_finish(&run);
    return skipped;
}

void passes_prepare(uint32_t n_cpus)
{
    element_prepare(n_cpus);
    three_legs_prepare();
}

/* Grows with whatever shows that memory is bad. */
static uint64_t count_errors(const struct fault_log *log)
{
    const struct ecc_count *ecc = ecc_so_far();

    return fault_log_faults(log) + fault_log_bad_pages(log) + ecc->corrected + ecc->uncorrected;
}

/* Another pass. */
static void run_next(struct run *run, struct run_done *done)
{
    uint64_t errors = count_errors(&run->found.log);
    uint32_t skipped = run_pass(run, done->begun + 1, done->seed + done->begun);
    bool failed, whole = !skipped && !stop_is_requested();

    failed = count_errors(&run->found.log) != errors;
    done->failed += failed;
    done->cut_failed = failed && stop_is_requested();
    if (whole && done->begun < 64)
        done->whole |= UINT64_C(1) << done->begun;
    done->begun++;
    done->skipped_tests += skipped;
    done->passes += whole;
}

struct run_done passes_run(struct run *run, struct pass_limits limits, uint64_t seed)
{
    struct run_done done = { .seed = seed };

    while ((!limits.passes || done.begun < limits.passes) &&
           (!limits.failed || done.failed < limits.failed) && !stop_is_requested()) {
        if (done.begun)
            kind_emit_pass(run, &done);
        run_next(run, &done);
    }
    if (self_check_has_internal_error()) /* no result is to be trusted */
        done.passes = done.failed = done.cut_failed = 0;
    done.stopped = stop_is_requested();
    done.tests = counts_ended(done.begun);
    done.reads = counts_all().reads;
    done.seconds = (double)counts_all().us / 1e6;
    return done;
}
