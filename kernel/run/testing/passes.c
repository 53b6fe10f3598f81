// SPDX-License-Identifier: MIT
#include "testing/passes.h"

#include "arch/tsc.h"
#include "ecc/ecc.h"
#include "event/events.h"
#include "event/stop.h"
#include "plan/share.h"
#include "progress/progress.h"
#include "self/self_check.h"
#include "sweep/tests.h"
#include "testing/element.h"
#include "testing/relocation.h"
#include "testing/rounds.h"
#include "testing/split_wait.h"
#include "testing/three_legs.h"
#include "verdict/kind_emit.h"

#define HAMMER_NOTE                                                                                \
    "the addresses of neighbouring rows are guessed: bit flips that no guess provokes are missed"

/* What a test of a pass has done and found, counted while it runs, for its event. */
struct counts {
    uint64_t us, swept_bytes, faults;
};

static struct {
    uint32_t pass, tests;
    uint64_t reads; /* of each cell, at least, by all tests of all passes that have ended */
    uint64_t us;    /* that these took */
} ended;

/* The counts of the run until now; of faults only this test's. */
static struct counts counts_now(const struct fault_log *log, uint32_t test)
{
    return (struct counts){
        .us = tsc_elapsed_us(),
        .swept_bytes = progress_total_swept(),
        .faults = fault_log_test_faults(log, test),
    };
}

/* Adds what has been done since `then`. */
static void counts_add_since(const struct fault_log *log, struct counts *counts, uint32_t test,
                             struct counts then)
{
    struct counts now = counts_now(log, test);

    counts->us += now.us - then.us;
    counts->swept_bytes += now.swept_bytes - then.swept_bytes;
    counts->faults += now.faults - then.faults;
}

/* The tests of this pass that have ended, other than by a stop: in the order of the list. */
static uint32_t counts_ended(uint32_t pass)
{
    return pass == ended.pass ? ended.tests : 0;
}

/* A test that a stop has cut short does not count: it has not read each cell that often. */
static void count_ended(const struct test_run *run, const struct counts *counts)
{
    bool has_ended = !stop_is_requested();

    ended.tests = counts_ended(run->place.pass) | (uint32_t)has_ended << run->place.test;
    ended.pass = run->place.pass;
    if (!has_ended)
        return;
    ended.reads += test_reads(run->test);
    ended.us += counts->us;
}

/* Sends a test's event: it has ended, or the run is stopped. */
static void counts_send(const struct test_run *run, const struct counts *counts)
{
    const struct test *test = run->test;
    bool hammers = test->kind == TEST_HAMMER;

    count_ended(run, counts);
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = run->place.pass,
            .test = test->name,
            .seconds = (double)counts->us / 1e6,
            .swept_bytes = counts->swept_bytes,
            .sweeps = test_sweeps(test),
            .faults = counts->faults,
            .hammers = hammers,
            .hammered_bytes = run->hammered.bytes,
            .has_seed = test_has_seed(test),
            .seed = run->seed,
            .note = hammers && !run->hammered.found ? HAMMER_NOTE : NULL,
        },
    });
}

/* okram spends a hundredth of the time on moves, or a little more. */
#define MOVE_PARTS 100

/* Until okram has moved. */
#define MOVE_GUESS_US 50000

/*
 * Tests of this pass that have covered all memory except okram's own. okram moves once for several
 * of them, because moves cost time, and each test then covers what okram has left.
 */
static struct deferred {
    uint32_t test;
    struct counts counts;
} deferred[TEST_LIST_MAX];
static uint32_t n_deferred;

static void deferred_add(const struct test_run *run, struct counts counts)
{
    deferred[n_deferred++] = (struct deferred){ run->place.test, counts };
}

/* Whether they have taken so long that a move adds little time. */
static bool deferred_are_due(void)
{
    uint64_t us = 0;

    for (uint32_t i = 0; i < n_deferred; i++)
        us += deferred[i].counts.us;
    return us >= MOVE_PARTS * (relocation_took_us() ? relocation_took_us() : MOVE_GUESS_US);
}

static void run_on_left(struct test_run *run, const struct footprint *left)
{
    struct vacated vacated = { .place = { left }, .n = 1, .completes = true };

    rounds_begin(run, plan_tested_bytes(&run->whole->plan, left));
    vacated_run(run, &vacated, rounds_all(run));
    self_check_all(&run->whole->found.log);
}

static void finish_one(struct test_run *run, struct deferred *d, const struct footprint *left)
{
    struct counts then = counts_now(&run->whole->found.log, d->test);

    test_run_init(run->whole, d->test, run->place.pass, run->seed, run);
    if (left && !stop_is_requested())
        run_on_left(run, left);
    counts_add_since(&run->whole->found.log, &d->counts, d->test, then);
    counts_send(run, &d->counts);
}

/* A move's time counts as the last test's. NULL: okram has not moved. */
static const struct footprint *move(const struct test_run *run)
{
    struct deferred *last = &deferred[n_deferred - 1];
    struct counts then = counts_now(&run->whole->found.log, last->test);
    const struct footprint *left;

    if (stop_is_requested() || relocate(run, NULL, &left) != STATUS_OK)
        left = NULL;
    counts_add_since(&run->whole->found.log, &last->counts, last->test, then);
    return left;
}

/*
 * okram moves, all of them cover what it has left, and their events are sent, even if the run is
 * stopped. run: a test of this pass; becomes the last of these.
 */
static void deferred_finish(struct test_run *run)
{
    const struct footprint *left;

    if (!n_deferred)
        return;
    left = move(run);
    for (uint32_t i = 0; i < n_deferred; i++)
        finish_one(run, &deferred[i], left);
    n_deferred = 0;
    share_main(&run->whole->shares);
}

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
        bool next_may_wait = i + 1 < tests->n_tests && may_defer(whole, &tests->test[i + 1]);

        test_run_init(whole, i, pass, seed, &run);
        stop_take_skip(true);
        run_test(&run);
        skipped += end_test(&run, true);
        if (!next_may_wait || deferred_are_due())
            deferred_finish(&run); /* the rest of the test, which a skip ends, too */
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
    aliases_settle(&run->found.aliases);
    if (self_check_has_internal_error()) /* no result is to be trusted */
        done.passes = done.failed = done.cut_failed = 0;
    done.stopped = stop_is_requested();
    done.tests = counts_ended(done.begun);
    done.reads = ended.reads;
    done.seconds = (double)ended.us / 1e6;
    return done;
}
