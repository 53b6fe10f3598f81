// SPDX-License-Identifier: MIT
#include "run/passes.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "event/stop.h"
#include "plan/apart.h"
#include "plan/busy_cpu.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "run/block_moving.h"
#include "run/element.h"
#include "run/fault_emit.h"
#include "run/hammering.h"
#include "run/mce_emit.h"
#include "run/poll.h"
#include "run/progress.h"
#include "run/selection.h"
#include "saving/saving.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/upkeep.h"
#include "sweep/march_halves.h"

#define PAUSE_STEP_US   1000
#define STOPPED_WAIT_US UINT64_C(10000000)

#define HAMMER_NOTE                                                                                \
    "the addresses of neighbouring rows are guessed: bit flips that no guess provokes are missed"

/* An address test finds pairs of pages; where more share cells, it is repeated on what is left. */
#define ALIAS_REPEATS 8

static uint32_t n_passes_done, n_tests_ended;

/* The current test: */
static struct march march;         /* its march, if it has one, */
static struct march_halves halves; /* cut in two, for run_halves; */
static uint64_t hammered_bytes;    /* what it has hammered */

/* Whether the current test ends early: for good, or to be repeated without a CPU that was lost. */
static bool is_cut_short(void)
{
    return stop_is_requested() || lost_cpus_any();
}

/* False: the run is to end, and more than stopped_us are left to wait. */
static bool wait_us(uint64_t us, uint64_t stopped_us)
{
    uint64_t now = tsc_elapsed_us(), end = now + us;

    while (now < end && !(stop_is_requested() && end - now > stopped_us)) {
        uint64_t before = now;

        poll_due();
        tsc_wait_us(PAUSE_STEP_US);
        now = tsc_elapsed_us();
        progress_waited(now - before);
    }
    return now >= end;
}

/* So that lines can be tested again: when the run is to end, a person waits. */
static bool hold_us(uint64_t us)
{
    return wait_us(us, STOPPED_WAIT_US);
}

static void wait_ms(uint32_t ms)
{
    wait_us(ms * UINT64_C(1000), 0);
}

/* Elements first to end - 1 of the march. */
static void run_elements(uint32_t first, uint32_t end, const struct data *data,
                         struct test_place place)
{
    for (uint32_t i = first; i < end && !is_cut_short(); i++) {
        const struct march_element *e = &march.element[i];

        place.turn = march_turn(&march, i);
        place.n_turns = march_turns(&march);
        if (e->kind == MARCH_PAUSE)
            wait_ms(e->pause_ms);
        else
            element_run(e, data, place);
    }
}

static void run_without_pauses(uint32_t first, uint32_t end, const struct data *data,
                               struct test_place place)
{
    for (uint32_t i = first; i < end; i++) {
        if (march.element[i].kind != MARCH_PAUSE)
            run_elements(i, i + 1, data, place);
    }
}

/* The address test finds aliases: they are sent, and their pages given up, before it goes on. */
static void run_address_march(const struct data *data, struct test_place place)
{
    for (uint32_t i = 0; i < ALIAS_REPEATS && !is_cut_short(); i++) {
        run_elements(0, march.n_elements, data, place);
        if (!aliases_finish(&aliases)) {
            if (!is_cut_short())
                own_aliases_all_known();
            break;
        }
        fault_emit_aliases(place);
    }
}

/* A place that okram has left, where only the other half of the march has been done. */
struct left {
    const struct arena_place *place;
    uint32_t half;
};

/* So many rounds of a test, from `first` up to `end`: so many elements of its march in each. */
struct rounds {
    uint32_t first, end;
    uint32_t first_element, end_element;
    const struct left *left; /* unless NULL: all of the march, in n_left such places */
    size_t n_left;
};

static struct rounds all_of(const struct test *test)
{
    return (struct rounds){ .end = test->rounds, .end_element = march.n_elements };
}

/* The march waits in one half only: in all of the places at once. */
static void run_in_left(struct rounds rounds, const struct data *data, struct test_place place)
{
    uint64_t began = tsc_elapsed_us();

    for (size_t i = 0; i < rounds.n_left; i++) {
        share_left(rounds.left[i].place, NULL);
        run_without_pauses(0, halves.pause[rounds.left[i].half], data, place);
    }
    if (!is_cut_short())
        wait_ms(halves.pause_ms);
    for (size_t i = 0; i < rounds.n_left; i++) {
        share_left(rounds.left[i].place, NULL);
        run_without_pauses(halves.pause[rounds.left[i].half] + 1, march.n_elements, data, place);
    }
    foreign_held(&foreign, tsc_elapsed_us() - began);
}

static void run_march(const struct test *test, struct rounds rounds, const struct data *data,
                      struct test_place place)
{
    if (rounds.left)
        run_in_left(rounds, data, place);
    else if (test->data == DATA_ADDRESS)
        run_address_march(data, place);
    else
        run_elements(rounds.first_element, rounds.end_element, data, place);
}

/* A CPU that firmware keeps has no part in the next rounds. */
static void save_state(void)
{
    saving_when_due();
    if (!is_cut_short() && !busy_cpu_leave_out(saving_busy_cpu()))
        saving_settle();
}

static void run_rounds_once(const struct test *test, struct test_place place, struct rounds rounds,
                            uint64_t seed)
{
    save_state();
    for (place.round = rounds.first; place.round < rounds.end && !is_cut_short(); place.round++) {
        struct data data = data_make(test->data, place.round % test->n_data, seed);

        foreign_round(&foreign, &data);

        switch (test->kind) {
        case TEST_MARCH:
            run_march(test, rounds, &data, place);
            break;
        case TEST_BLOCK_MOVE:
            block_moving_run(&data, place);
            break;
        case TEST_HAMMER:
            hammering_run(selection.hammer_s, &data, place, &hammered_bytes);
            break;
        }
        fault_emit_foreign(hold_us);
    }
}

static void run_rounds(const struct test *test, struct test_place place, struct rounds rounds,
                       uint64_t seed)
{
    bool again;

    do {
        uint64_t swept = progress_total_swept();

        if (lost_cpus_any()) {
            lost_cpus_leave_out();
            upkeep_settle(); /* it may have been lost while it wrote to the log */
        }
        run_rounds_once(test, place, rounds, seed);
        mce_emit_collect();
        again = lost_cpus_any() && !stop_is_requested();
        if (again)
            progress_again(progress_total_swept() - swept);
    } while (again);
}

/* Row hammer has no memory that it must go over: it takes places of the main part. */
static bool is_done_on_left(const struct test *test)
{
    return test->kind != TEST_HAMMER && plan_includes_arena();
}

/* okram moves, and not to `avoid`. STATUS_OK: what was its place can be tested. */
static enum status leave(const struct arena_place *avoid, uint32_t pass,
                         const struct arena_place **ret_left)
{
    enum status status;

    saving_settle(); /* all CPUs move */
    status = move_away(avoid, ret_left);
    fault_emit_own_aliases(pass);
    if (status == STATUS_OK)
        upkeep_settle();
    return status;
}

/* okram moves to memory that has just been tested, and the test goes over what it has left. */
static void run_on_left(const struct test *test, struct test_place place, struct rounds rounds,
                        uint64_t seed)
{
    const struct arena_place *left;
    bool with_apart;

    if (!is_done_on_left(test) || leave(NULL, place.pass, &left) != STATUS_OK)
        return;
    with_apart = selection_finds_most_pairs(test) && !apart_holds_okram();
    share_left(left, with_apart ? apart_memory() : NULL);
    element_cut_shares(&place);
    run_rounds(test, place, rounds, seed);
    if (!stop_is_requested() && rounds.end == test->rounds)
        tested_rest();
    if (!stop_is_requested() && with_apart)
        apart_left_is_tested();
    share_main();
}

/* Rounds of a test, over all memory. */
static void run_part(const struct test *test, struct test_place place, struct rounds rounds,
                     uint64_t seed)
{
    run_rounds(test, place, rounds, seed);
    if (stop_is_requested())
        return;
    if (rounds.end == test->rounds && test->kind != TEST_HAMMER)
        tested_all_but(NULL);
    if (selection_finds_most_pairs(test))
        apart_main_is_tested();
    run_on_left(test, place, rounds, seed);
}

/* In two parts okram is in two places, and neither is only tested apart from the rest. */
static uint32_t parts_of(const struct test *test)
{
    bool is_needed = selection_finds_most_pairs(test) && apart_is_open() && is_done_on_left(test);

    return is_needed && test->rounds > 1 ? 2 : 1;
}

static void run_parts(const struct test *test, struct test_place place, uint64_t seed)
{
    for (uint32_t i = 0, n = parts_of(test); i < n && !stop_is_requested(); i++) {
        struct rounds rounds = all_of(test);

        rounds.first = test->rounds * i / n;
        rounds.end = test->rounds * (i + 1) / n;
        run_part(test, place, rounds, seed);
    }
}

/* Whether a test is done by run_halves. Not one that counts for couplings (plan/apart.h). */
static bool is_halved(const struct test *test, struct march_halves *ret)
{
    struct march m;

    if (test->kind != TEST_MARCH || test->data == DATA_ADDRESS || test->pairs)
        return false;
    test_march(test, &m);
    return is_done_on_left(test) && march_halve(&m, ret);
}

/* The whole march on these places, which have had a half of it. */
static void run_missed(const struct test *test, struct test_place place, const struct left *left,
                       size_t n_left, uint64_t seed)
{
    struct rounds rounds = all_of(test);

    rounds.left = left;
    rounds.n_left = n_left;
    for (size_t i = 0; i < n_left; i++) {
        share_left(left[i].place, NULL);
        progress_again(pieces_tested_bytes(&plan.pieces) * test->rounds *
                       march_half_sweeps(&march, &halves, !left[i].half));
    }
    run_rounds(test, place, rounds, seed);
}

/* okram has left one place after the first half, and is in another: both have missed a half. */
static void finish_halves(const struct test *test, struct test_place place,
                          const struct arena_place *first, uint64_t seed)
{
    struct left left[] = { { first, 0 }, { NULL, 1 } };

    tested_all_but(first);
    if (leave(first, place.pass, &left[1].place) == STATUS_OK) {
        run_missed(test, place, left, 2, seed);
    } else {
        run_missed(test, place, &left[0], 1, seed);
        if (stop_is_requested())
            return;
        tested_all_but(NULL);
        share_main();
        if (leave(NULL, place.pass, &left[1].place) != STATUS_OK)
            return;
        run_missed(test, place, &left[1], 1, seed);
    }
    if (!stop_is_requested())
        tested_rest();
}

/*
 * A march that waits twice, on all memory in three waits: okram moves between its halves, then away
 * from both places, and these wait together.
 */
static void run_halves(const struct test *test, struct test_place place, uint64_t seed)
{
    struct rounds first = all_of(test), second = first;
    const struct arena_place *left;
    bool has_left;

    first.end_element = second.first_element = halves.second;
    run_rounds(test, place, first, seed);
    if (stop_is_requested())
        return;
    has_left = leave(NULL, place.pass, &left) == STATUS_OK;
    share_main();
    run_rounds(test, place, second, seed);
    if (stop_is_requested())
        return;
    if (has_left)
        finish_halves(test, place, left, seed);
    else
        tested_all_but(NULL);
    share_main();
}

/* One test of a pass. */
static void run_test(const struct test *test, uint32_t index, uint32_t pass, uint64_t seed)
{
    uint64_t began = tsc_elapsed_us(), swept = progress_total_swept();
    uint64_t faults = fault_log_test_faults(&fault_log, index);
    struct test_place place = { .pass = pass, .test = index, .n_rounds = test->rounds };

    element_cut_shares(&place);
    hammered_bytes = 0;
    progress_test(selection.cost[index], test_sweeps(test) * plan.tested_bytes);
    progress_phase("test", pass, test->name, index, (uint32_t)selection.tests.n_tests);
    progress_send();
    if (test->kind == TEST_MARCH)
        test_march(test, &march);
    if (is_halved(test, &halves))
        run_halves(test, place, seed);
    else
        run_parts(test, place, seed);
    upkeep_settle();
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = pass,
            .test = test->name,
            .seconds = (double)(tsc_elapsed_us() - began) / 1e6,
            .swept_bytes = progress_total_swept() - swept,
            .sweeps = test_sweeps(test),
            .faults = fault_log_test_faults(&fault_log, index) - faults,
            .hammers = test->kind == TEST_HAMMER,
            .hammered_bytes = hammered_bytes,
            .has_seed = test_has_seed(test),
            .seed = seed,
            .note = test->kind == TEST_HAMMER ? HAMMER_NOTE : NULL,
        },
    });
}

/* What it waits in all its rounds, over all memory. */
static uint64_t wait_of(const struct test *test)
{
    uint64_t ms = test_pause_ms(test);
    struct march_halves h;

    if (is_halved(test, &h))
        return ms + (uint64_t)h.pause_ms * test->rounds;
    return is_done_on_left(test) ? 2 * ms : ms;
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

void passes_run(uint32_t passes, uint64_t seed)
{
    uint32_t n_tests = (uint32_t)selection.tests.n_tests;

    while ((passes == 0 || n_passes_done < passes) && !stop_is_requested()) {
        begin_pass();
        for (uint32_t i = 0; i < n_tests && !stop_is_requested(); i++) {
            n_tests_ended = i;
            run_test(&selection.tests.test[i], i, n_passes_done + 1, seed + n_passes_done);
        }
        n_passes_done += !stop_is_requested();
    }
}

uint32_t passes_completed(void)
{
    return n_passes_done;
}

uint32_t passes_tests_ended(void)
{
    return n_tests_ended;
}
