// SPDX-License-Identifier: MIT
#include "testing/three_legs.h"

#include "arch/tsc.h"
#include "calibration/selection.h"
#include "emit/progress.h"
#include "event/stop.h"
#include "lib/panic.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "plan/unpaired.h"
#include "testing/element.h"
#include "testing/relocation.h"

/* A place may be found bad before okram moves there: then all is done again with others. */
#define ATTEMPTS 2

/* okram's place in each leg, and the one that it goes to then. */
static struct footprint home[ORDER_LEGS + 1];
static const struct footprint *const places[] = { &home[0], &home[1], &home[2] };

_Static_assert(ORDER_LEGS <= PLAN_PLACES_MAX, "one place each");

/* The current attempt. */
static struct {
    bool has_places;
    bool failed; /* okram could not move to one of them */
    size_t n_workers;
    uint64_t swept_before;
    uint64_t swept_extra; /* what the march does not have */
    uint64_t written_us;  /* when its last element began that wrote */
} now;

void three_legs_prepare(void)
{
    for (size_t i = 0; i < ORDER_LEGS + 1; i++)
        footprint_make(&home[i]);
}

bool three_legs_apply_to(const struct test *test)
{
    struct march m;

    if (test->kind != TEST_MARCH || test->data == DATA_ADDRESS || test->rounds > 1)
        return false;
    test_march(test, &m);
    return march_legs(&m) >= ORDER_LEGS && !test_pause_ms(test) && relocation_covers_pairs(test);
}

/* The last one has all that follows. */
static struct march_part part_of(const struct test_run *run, uint32_t leg)
{
    return march_part_of_legs(&run->march, leg, leg == ORDER_LEGS - 1 ? UINT32_MAX : leg);
}

static void begin(void)
{
    now.has_places = now.failed = false;
    now.n_workers = plan.n_workers;
    now.swept_before = progress_total_swept();
    now.swept_extra = 0;
    now.written_us = tsc_elapsed_us();
}

static bool choose_places(uint32_t pass)
{
    share_main();
    if (footprint_copy(&home[0], arena_footprint()) != STATUS_OK)
        return false;
    for (size_t i = 1; i < ORDER_LEGS + 1; i++) {
        if (relocation_choose(places, i, pass, &home[i]) != STATUS_OK)
            return false;
    }
    return share_with_cuts(places, ORDER_LEGS, NULL) == STATUS_OK;
}

/* Between the two orders of okram's place in leg 1. The first write of all goes everywhere. */
static bool is_in_two(const struct march_element *e, uint32_t index, uint32_t leg)
{
    return leg != 1 && index > 0 && (e->kind == MARCH_UP || e->kind == MARCH_DOWN);
}

/* How long lines were held is more than from the last part of an element to the next. */
static void note_held(const struct march_element *e, uint64_t began_us)
{
    if (external_any(&external))
        external_held(&external, tsc_elapsed_us() - now.written_us);
    if (march_element_writes(e))
        now.written_us = began_us;
}

static void do_in_second(const struct test_run *run, struct march_part part,
                         const struct data *data, struct test_place place)
{
    share_vacated(&home[1], NULL);
    element_cut_shares(&place);
    rounds_do_elements(run, part, data, place);
}

static void do_one(const struct test_run *run, uint32_t index, uint32_t leg,
                   const struct data *data, struct test_place place)
{
    const struct march_element *e = &run->march.element[index];
    bool in_two = is_in_two(e, index, leg);
    struct march_part part = { index, index + 1 };
    uint64_t began_us = tsc_elapsed_us();

    if (in_two && leg == 0)
        do_in_second(run, part, data, place);
    ASSERT(share_with_cuts(places, ORDER_LEGS, in_two ? &home[1] : NULL) == STATUS_OK);
    rounds_do_elements(run, part, data, place);
    if (in_two && leg > 0)
        do_in_second(run, part, data, place);
    note_held(e, began_us);
}

static void run_extra_element(const struct footprint *where, struct march_element e,
                              const struct data *data, struct test_place place)
{
    share_vacated(where, NULL);
    now.swept_extra += pieces_tested_bytes(&plan.pieces);
    element_cut_shares(&place);
    rounds_do_element(&e, data, place);
}

static bool is_at(const void *ctx, uint64_t phys)
{
    return footprint_holds(ctx, phys);
}

/* What a device wrote to is to be tested again after the round. */
static bool try_relocate_to(const struct test_run *run, const struct footprint *place)
{
    const struct footprint *left;

    share_main();
    return !external_any_at(&external, is_at, place) &&
           relocate_to(place, run->place.pass, &left) == STATUS_OK &&
           plan.n_workers == now.n_workers;
}

/* From its place in one leg to that in the next. */
static void move_on(const struct test_run *run, uint32_t leg, const struct data *data,
                    struct test_place place)
{
    bool complement = march_holds_complement(&run->march, part_of(run, leg).end);

    run_extra_element(&home[leg + 1], march_verify(complement), data, place);
    if (rounds_interrupted())
        return;
    now.failed = !try_relocate_to(run, &home[leg + 1]);
    if (!now.failed)
        run_extra_element(&home[leg], march_fill(complement), data, place);
}

static void do_leg(const struct test_run *run, uint32_t leg, const struct data *data,
                   struct test_place place)
{
    struct march_part part = part_of(run, leg);

    for (uint32_t i = part.first; i < part.end && !rounds_interrupted(); i++)
        do_one(run, i, leg, data, place);
}

static void do_legs(const struct test_run *run, const struct data *data, struct test_place place)
{
    begin();
    now.has_places = choose_places(run->place.pass);
    if (!now.has_places)
        return;
    for (uint32_t leg = 0; leg < ORDER_LEGS && !now.failed && !rounds_interrupted(); leg++) {
        do_leg(run, leg, data, place);
        if (leg < ORDER_LEGS - 1 && !rounds_interrupted())
            move_on(run, leg, data, place);
    }
}

/* Each place has missed a leg. */
static void run_in_places(struct test_run *run)
{
    uint64_t again = now.swept_extra;

    for (uint32_t leg = 0; leg < ORDER_LEGS; leg++) {
        share_vacated(&home[leg], NULL);
        again += pieces_tested_bytes(&plan.pieces) *
                 (test_sweeps(run->test) - march_part_sweeps(&run->march, part_of(run, leg)));
    }
    progress_add_repeat(again);
    share_places(places, ORDER_LEGS);
    element_cut_shares(&run->place);
    rounds_run(run, rounds_all(run));
    if (stop_is_requested())
        return;
    tested_remaining();
    unpaired_all_is_tested();
}

/* False: okram is in a place where it should not be. */
static bool attempt(struct test_run *run)
{
    struct rounds rounds = rounds_all(run);

    rounds.march = do_legs;
    rounds_run(run, rounds);
    if (stop_is_requested())
        return true;
    if (!now.has_places || now.failed)
        return false;
    tested_all_except(places, ORDER_LEGS - 1);
    if (!try_relocate_to(run, &home[ORDER_LEGS]))
        return false;
    run_in_places(run);
    return true;
}

bool three_legs_run(struct test_run *run)
{
    bool is_done = false;

    for (unsigned i = 0; i < ATTEMPTS && !is_done; i++) {
        is_done = attempt(run);
        if (!is_done)
            progress_add_repeat(progress_total_swept() - now.swept_before);
        if (!now.has_places)
            break;
    }
    share_main();
    return is_done;
}
