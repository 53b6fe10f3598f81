// SPDX-License-Identifier: MIT
#include "testing/split_wait.h"

#include "arch/tsc.h"
#include "emit/progress.h"
#include "event/stop.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "sweep/march_halves.h"
#include "testing/relocation.h"

static struct march_halves halves; /* of the current test */

/* Places that okram has left, where only the other half of the march has been done. */
static struct left {
    const struct footprint *place;
    uint32_t half;
} left[2];
static size_t n_left;

static bool halve(const struct test *test, struct march_halves *ret)
{
    struct march m;

    if (test->kind != TEST_MARCH || test->data == DATA_ADDRESS || test->pairs)
        return false;
    test_march(test, &m);
    return relocation_is_due(test) && march_halve(&m, ret);
}

bool split_wait_applies_to(const struct test *test)
{
    struct march_halves h;

    return halve(test, &h);
}

uint64_t split_wait_ms(const struct test *test)
{
    struct march_halves h;

    return halve(test, &h) ? test_pause_ms(test) + (uint64_t)h.pause_ms * test->rounds : 0;
}

static void do_without_pauses(const struct test_run *run, struct march_part part,
                              const struct data *data, struct test_place place)
{
    for (uint32_t i = part.first; i < part.end; i++) {
        if (run->march.element[i].kind != MARCH_PAUSE)
            rounds_do_elements(run, (struct march_part){ i, i + 1 }, data, place);
    }
}

/* The march waits in one half only: in all of the places at once. */
static void march_vacated(const struct test_run *run, const struct data *data,
                          struct test_place place)
{
    uint64_t began = tsc_elapsed_us();

    for (size_t i = 0; i < n_left; i++) {
        share_vacated(left[i].place, NULL);
        do_without_pauses(run, (struct march_part){ 0, halves.pause[left[i].half] }, data, place);
    }
    if (!rounds_interrupted())
        rounds_wait_ms(halves.pause_ms);
    for (size_t i = 0; i < n_left; i++) {
        struct march_part rest = { halves.pause[left[i].half] + 1, run->march.n_elements };

        share_vacated(left[i].place, NULL);
        do_without_pauses(run, rest, data, place);
    }
    external_held(&external, tsc_elapsed_us() - began);
}

/* The whole march in these places, which have had a half of it. */
static void run_missed(struct test_run *run)
{
    struct rounds rounds = rounds_all(run);

    rounds.march = march_vacated;
    for (size_t i = 0; i < n_left; i++) {
        share_vacated(left[i].place, NULL);
        progress_add_repeat(pieces_tested_bytes(&plan.pieces) * run->test->rounds *
                            march_half_sweeps(&run->march, &halves, !left[i].half));
    }
    rounds_run(run, rounds);
}

/* The places one after the other. */
static void finish_in_turns(struct test_run *run)
{
    n_left = 1;
    run_missed(run);
    if (stop_is_requested())
        return;
    tested_all_except(NULL, 0);
    share_main();
    left[0].half = 1;
    if (relocate(NULL, run->place.pass, &left[0].place) != STATUS_OK)
        return;
    run_missed(run);
    if (!stop_is_requested())
        tested_remaining();
}

/* okram has left one place after the first half, and is in another: both have missed a half. */
static void finish(struct test_run *run, const struct footprint *first)
{
    left[0] = (struct left){ first, 0 };
    left[1] = (struct left){ NULL, 1 };
    n_left = 2;
    tested_all_except(&first, 1);
    if (relocate(first, run->place.pass, &left[1].place) != STATUS_OK) {
        finish_in_turns(run);
        return;
    }
    run_missed(run);
    if (!stop_is_requested())
        tested_remaining();
}

void split_wait_run(struct test_run *run)
{
    struct rounds first = rounds_all(run), second = first;
    const struct footprint *place;
    bool has_left;

    if (!halve(run->test, &halves))
        return;
    first.part.end = second.part.first = halves.second;
    rounds_run(run, first);
    if (stop_is_requested())
        return;
    has_left = relocate(NULL, run->place.pass, &place) == STATUS_OK;
    share_main();
    rounds_run(run, second);
    if (stop_is_requested())
        return;
    if (has_left)
        finish(run, place);
    else
        tested_all_except(NULL, 0);
    share_main();
}
