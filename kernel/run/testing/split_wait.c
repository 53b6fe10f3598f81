// SPDX-License-Identifier: MIT
#include "testing/split_wait.h"

#include "arch/tsc.h"
#include "event/stop.h"
#include "plan/share.h"
#include "sweep/march_part.h"
#include "testing/displacement.h"
#include "testing/element.h"
#include "testing/relocation.h"

/* A test that waits in parts, and the places that have had only one half of its march. */
struct split {
    struct march_halves halves;
    struct vacated vacated;
    uint32_t half[2]; /* by place: the half that it has had */
};

static bool halve(const struct plan *plan, const struct test *test, struct march_halves *ret)
{
    struct march m;

    if (test->kind != TEST_MARCH || test->data == DATA_ADDRESS || test->pairs)
        return false;
    test_march(test, &m);
    return relocation_is_due(plan, test) && march_halve(&m, ret);
}

bool split_wait_applies_to(const struct plan *plan, const struct test *test)
{
    struct march_halves h;

    return halve(plan, test, &h);
}

uint64_t split_wait_ms(const struct plan *plan, const struct test *test)
{
    struct march_halves h;

    return halve(plan, test, &h) ? test_pause_ms(test) + (uint64_t)h.pause_ms * test->rounds : 0;
}

static void do_without_pauses(const struct test_run *run, struct march_part part,
                              const struct data *data, struct test_place place)
{
    for (uint32_t i = part.first; i < part.end; i++) {
        if (run->march.element[i].kind != MARCH_PAUSE)
            rounds_do_elements(run, (struct march_part){ i, i + 1 }, data, place);
    }
}

static void share_place(const struct split *split, size_t i, const struct test_run *run,
                        struct test_place *place)
{
    share_vacated(&run->whole->shares, &split->vacated.place[i], 1, NULL);
    element_cut_shares(run->whole, place);
}

/* The march waits in one half only, in all of the places at once. */
static void march_vacated(void *ctx, const struct test_run *run, const struct data *data,
                          struct test_place place)
{
    const struct split *split = ctx;
    const uint32_t *pause = split->halves.pause;
    uint64_t began = tsc_elapsed_us();

    for (size_t i = 0; i < split->vacated.n; i++) {
        share_place(split, i, run, &place);
        do_without_pauses(run, (struct march_part){ 0, pause[split->half[i]] }, data, place);
    }
    share_vacated(&run->whole->shares, split->vacated.place, split->vacated.n, NULL);
    displacement_before_pause(run->whole, &run->whole->shares.tested);
    if (!rounds_interrupted(run->whole))
        rounds_wait_ms(run, split->halves.pause_ms);
    for (size_t i = 0; i < split->vacated.n; i++) {
        struct march_part rest = { pause[split->half[i]] + 1, run->march.n_elements };

        share_place(split, i, run, &place);
        do_without_pauses(run, rest, data, place);
    }
    external_held(&run->whole->found.external, tsc_elapsed_us() - began);
}

/* What the whole march sweeps, in a place that has had one half of it, beyond the other half. */
static uint64_t added_bytes(const struct split *split, const struct test_run *run,
                            const struct footprint *place, uint32_t half)
{
    return plan_tested_bytes(&run->whole->plan, place) * run->test->rounds *
           march_half_sweeps(&run->march, &split->halves, !half);
}

/* The whole march in these places, which have had a half of it. False: okram cannot move. */
static bool run_missed(struct split *split, struct test_run *run)
{
    struct rounds rounds = rounds_all(run);

    rounds.march = march_vacated;
    rounds.ctx = split;
    return vacated_run(run, &split->vacated, rounds);
}

/* The places one after the other. */
static void finish_in_turns(struct split *split, struct test_run *run,
                            const struct footprint *first)
{
    split->half[0] = 0;
    split->vacated = (struct vacated){
        .place = { first },
        .n = 1,
        .add_bytes = added_bytes(split, run, first, 0),
    };
    run_missed(split, run);
    if (stop_is_requested())
        return;
    tested_all_except(&run->whole->tested, NULL, 0);
    split->half[0] = 1;
    split->vacated = (struct vacated){
        .relocate = true,
        .completes = true,
        .add_bytes = added_bytes(split, run, arena_footprint(), 1),
    };
    run_missed(split, run);
}

/* okram has left one place after the first half, and is in another: both have missed a half. */
static void finish(struct split *split, struct test_run *run, const struct footprint *first)
{
    split->half[0] = 0;
    split->half[1] = 1;
    split->vacated = (struct vacated){
        .relocate = true,
        .avoid = first,
        .place = { first },
        .n = 1,
        .completes = true,
        .add_bytes =
            added_bytes(split, run, first, 0) + added_bytes(split, run, arena_footprint(), 1),
    };
    tested_all_except(&run->whole->tested, &first, 1);
    if (!run_missed(split, run))
        finish_in_turns(split, run, first);
}

void split_wait_run(struct test_run *run)
{
    struct rounds first = rounds_all(run), second = first;
    const struct footprint *place;
    struct split split;
    bool has_left;

    if (!halve(&run->whole->plan, run->test, &split.halves))
        return;
    first.part.end = second.part.first = split.halves.second;
    rounds_run(run, first);
    if (stop_is_requested())
        return;
    has_left = relocate(run, NULL, &place) == STATUS_OK;
    share_main(&run->whole->shares);
    rounds_run(run, second);
    if (stop_is_requested())
        return;
    if (has_left)
        finish(&split, run, place);
    else
        tested_all_except(&run->whole->tested, NULL, 0);
}
