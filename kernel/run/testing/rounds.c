// SPDX-License-Identifier: MIT
#include "testing/rounds.h"

#include "arch/tsc.h"
#include "faults/cpu_evidence.h"
#include "facts/heating.h"
#include "faults/fault_emit.h"
#include "progress/progress.h"
#include "event/stop.h"
#include "lib/panic.h"
#include "plan/lost_cpus.h"
#include "saver/saving.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/self_check.h"
#include "stick/stick.h"
#include "testing/displacement.h"
#include "testing/element.h"
#include "testing/page_search.h"

#define PAUSE_STEP_US   1000
#define STOPPED_WAIT_US UINT64_C(10000000)

/*
 * An address test finds pairs of pages; if more than two share cells, it is repeated on the rest.
 */
#define ALIAS_REPEATS 8

/* Of memory below 1 MiB: with both, each cell is stored 108 times. */
#define LOW_SCANS_BEFORE 1
#define LOW_SCANS_AFTER  5

/* Moves in a run away from cells that tested memory reaches, too; more are not needed. */
#define LEAVES_MAX 4

void test_run_init(struct run *whole, uint32_t index, uint32_t pass, uint64_t seed,
                   struct test_run *ret)
{
    const struct test *test = &whole->selection.tests.test[index];

    *ret = (struct test_run){
        .whole = whole,
        .test = test,
        .place = { .pass = pass, .test = index },
        .seed = seed,
    };
    if (test->kind == TEST_MARCH)
        test_march(test, &ret->march);
}

void rounds_begin(const struct test_run *run, uint64_t bytes)
{
    const struct selection *selection = &run->whole->selection;
    uint32_t index = run->place.test;

    progress_test(selection->cost[index], test_sweeps(run->test) * bytes);
    progress_phase("test", run->place.pass, run->test->name, index,
                   (uint32_t)selection->tests.n_tests);
    progress_send(run->whole);
}

struct rounds rounds_all(const struct test_run *run)
{
    return (struct rounds){ .end = run->test->rounds, .part = march_whole(&run->march) };
}

bool rounds_interrupted(const struct run *run)
{
    return stop_is_requested() || lost_cpus_any() || aliases_hold_any(&run->found.aliases);
}

/* False: the run is to end, and more than stopped_us are left to wait. */
static bool wait_us(const struct cpu_poll *poll, uint64_t us, uint64_t stopped_us)
{
    uint64_t now = tsc_elapsed_us(), end = now + us;

    while (now < end && !(stop_is_requested() && end - now > stopped_us)) {
        uint64_t before = now;

        cpu_poll(poll);
        tsc_wait_us(PAUSE_STEP_US);
        now = tsc_elapsed_us();
        progress_waited(now - before);
    }
    return now >= end;
}

/*
 * The wait before lines are tested again: short if the run is to end, because a person is waiting.
 */
static bool wait_before_retest(void *ctx, uint64_t us)
{
    const struct run *run = ctx;

    return wait_us(&run->poll, us, STOPPED_WAIT_US);
}

void rounds_wait_ms(const struct test_run *run, uint32_t ms)
{
    wait_us(&run->whole->poll, ms * UINT64_C(1000), 0);
}

void rounds_do_element(const struct test_run *run, const struct march_element *element,
                       const struct data *data, struct test_place place)
{
    if (rounds_interrupted(run->whole))
        return;
    if (element->kind == MARCH_PAUSE) {
        displacement_before_pause(run->whole, &run->whole->shares.tested);
        rounds_wait_ms(run, element->pause_ms);
        return;
    }
    element_run(run->whole, element, data, place);
    displacement_run(run->whole, &run->whole->shares.tested);
}

void rounds_do_elements(const struct test_run *run, struct march_part part, const struct data *data,
                        struct test_place place)
{
    for (uint32_t i = part.first; i < part.end; i++) {
        place.leg = march_leg(&run->march, i);
        place.n_legs = march_legs(&run->march);
        rounds_do_element(run, &run->march.element[i], data, place);
    }
}

/* Aliases are sent, and their pages given up, after each element. Returns how many pages. */
static uint64_t do_address_elements(const struct test_run *run, const struct data *data,
                                    struct test_place place)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < run->march.n_elements; i++) {
        uint64_t n;

        rounds_do_elements(run, (struct march_part){ i, i + 1 }, data, place);
        n = aliases_finish(&run->whole->found.aliases);
        if (n)
            fault_emit_aliases(run->whole, place);
        all += n;
    }
    return all;
}

/* Until it has found no more. */
static void find_aliases(const struct test_run *run, const struct data *data,
                         struct test_place place)
{
    for (uint32_t i = 0; i < ALIAS_REPEATS && !rounds_interrupted(run->whole); i++) {
        if (do_address_elements(run, data, place))
            continue;
        if (!rounds_interrupted(run->whole)) {
            own_aliases_all_known();
            aliases_settle(&run->whole->found.aliases);
        }
        break;
    }
}

static void do_address_march(const struct test_run *run, const struct data *data,
                             struct test_place place)
{
    uint32_t *scanned = &run->whole->found.low.pass;
    bool scans = *scanned != place.pass;

    if (scans && !rounds_interrupted(run->whole))
        fault_emit_low(run->whole, place, LOW_SCANS_BEFORE);
    find_aliases(run, data, place);
    if (scans && !rounds_interrupted(run->whole)) {
        *scanned = place.pass;
        fault_emit_low(run->whole, place, LOW_SCANS_AFTER);
    }
}

static void do_march(const struct test_run *run, struct rounds rounds, const struct data *data,
                     struct test_place place)
{
    if (rounds.march)
        rounds.march(rounds.ctx, run, data, place);
    else if (run->test->data == DATA_ADDRESS)
        do_address_march(run, data, place);
    else
        rounds_do_elements(run, rounds.part, data, place);
}

/* A CPU that is still in firmware takes no part in the next rounds. */
static void save_state(struct run *run)
{
    saving_when_due(run->saver, run);
    stick_when_due(run->stick, &run->poll);
    if (!rounds_interrupted(run) && !lost_cpus_set_busy(saving_busy_cpu(), &run->shares))
        saving_wait(run->saver, &run->poll);
}

/*
 * Traffic over all memory, until the modules are as hot as they are to be; nothing in it counts on
 * what memory holds. Faults are the test's.
 */
static void heat_up(const struct test_run *run, struct test_place place)
{
    static const char notation[] = "any(w0);any(r0,w1);any(r1)";
    struct data data = data_make(DATA_RANDOM, 0, run->seed);
    struct march_error error;
    struct march march;

    /* The place that okram has left is too small to heat a module, and still hot. */
    if (share_max_bytes(&run->whole->shares) * run->whole->plan.n_workers <
            run->whole->plan.tested_bytes / 2 ||
        !heating_wants(run->whole))
        return;
    ASSERT(march_parse(notation, &march, &error) == MARCH_OK);
    external_round(&run->whole->found.external, &data);
    while (heating_wants(run->whole) && !rounds_interrupted(run->whole)) {
        uint64_t swept = progress_total_swept();

        for (uint32_t i = 0; i < march.n_elements; i++)
            rounds_do_element(run, &march.element[i], &data, place);
        progress_add_repeat(progress_total_swept() - swept);
    }
    fault_emit_external(run->whole, wait_before_retest);
}

static void run_once(struct test_run *run, struct rounds rounds)
{
    const struct test *test = run->test;
    struct test_place place = run->place;

    place.n_rounds = rounds.end - rounds.first;
    run->whole->heating.test = place.test;
    save_state(run->whole);
    for (place.round = 0; place.round < place.n_rounds && !rounds_interrupted(run->whole);
         place.round++) {
        struct data data =
            test_data(test, rounds.first + place.round, (struct pass){ place.pass, run->seed });

        heat_up(run, place);
        external_round(&run->whole->found.external, &data);

        switch (test->kind) {
        case TEST_MARCH: do_march(run, rounds, &data, place); break;
        case TEST_BLOCK_MOVE: block_moving_run(run->whole, &data, place); break;
        case TEST_HAMMER: hammering_run(run->whole, &data, place, &run->hammered); break;
        }
        page_search_run(&data, place);
        fault_emit_external(run->whole, wait_before_retest);
    }
}

/* Once there are faults: they may be of a CPU. */
static void check_cpus(const struct test_run *run)
{
    static bool is_done;

    if (is_done || !fault_log_faults(&run->whole->found.log) || rounds_interrupted(run->whole))
        return;
    is_done = true;
    cpu_evidence_check();
}

/*
 * okram uses the upper side of an alias, so that the lower side cannot be tested: it moves away,
 * and the upper side alone is given up. Both sides are if it cannot.
 */
static void leave_shared_cells(struct run *run, uint32_t pass)
{
    static uint32_t n_leaves;
    const struct mover mover = { &run->shares, &run->unpaired, &run->poll };
    const struct footprint *left;

    share_main(&run->shares);
    saving_wait(run->saver, &run->poll); /* all CPUs move */
    if (!own_aliases_are_guarded() && n_leaves++ < LEAVES_MAX &&
        move_away(mover, NULL, &left) == STATUS_OK)
        aliases_release(&run->found.aliases);
    else
        aliases_settle(&run->found.aliases);
    fault_emit_own_aliases(run, pass);
    share_main(&run->shares);
    self_check_all(&run->found.log);
}

void rounds_run(struct test_run *run, struct rounds rounds)
{
    bool again;

    do {
        uint64_t swept = progress_total_swept();

        if (lost_cpus_any()) {
            lost_cpus_drop(&run->whole->shares);
            /* The CPU may have been lost while it wrote to the log. */
            self_check_all(&run->whole->found.log);
        }
        if (aliases_hold_any(&run->whole->found.aliases) && !stop_is_requested())
            leave_shared_cells(run->whole, run->place.pass);
        run_once(run, rounds);
        check_cpus(run);
        again = (lost_cpus_any() || aliases_hold_any(&run->whole->found.aliases)) &&
                !stop_is_requested();
        if (again)
            progress_add_repeat(progress_total_swept() - swept);
    } while (again);
}
