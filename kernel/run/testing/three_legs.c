// SPDX-License-Identifier: MIT
#include "testing/three_legs.h"

#include "arch/tsc.h"
#include "progress/progress.h"
#include "event/stop.h"
#include "lib/panic.h"
#include "plan/share.h"
#include "testing/element.h"
#include "testing/relocation.h"

/* The first attempts find most bad pages, which later ones avoid. */
#define ATTEMPTS 4

/* okram's place in each leg, and its place after them. */
static struct footprint home[ORDER_LEGS + 1];
static const struct footprint *const places[] = { &home[0], &home[1], &home[2] };

_Static_assert(ORDER_LEGS <= PLAN_PLACES_MAX, "one place each");

/* The places that an element of a leg does before the rest of memory, and after it. */
struct sides {
    const struct footprint *place[ORDER_LEGS - 1];
    size_t n_before;
};

static const struct sides sides[ORDER_LEGS] = {
    { { &home[1], &home[2] }, 2 },
    { { &home[0], &home[2] }, 1 },
    { { &home[0], &home[1] }, 0 },
};

struct attempt {
    const struct test_run *run; /* and the round that is done now: */
    const struct data *data;
    struct test_place place;
    bool has_places;
    bool failed; /* okram could not move to one of them */
    size_t n_workers;
    uint64_t swept_before;
    uint64_t swept_extra; /* beyond the sweeps of the march */
    uint64_t written_us;  /* when the last element that writes began */
};

void three_legs_prepare(void)
{
    for (size_t i = 0; i < ORDER_LEGS + 1; i++)
        footprint_make(&home[i]);
}

bool three_legs_apply_to(const struct run *run, const struct test *test)
{
    struct march m;

    if (test->kind != TEST_MARCH || test->data == DATA_ADDRESS || test->rounds > 1)
        return false;
    test_march(test, &m);
    return march_legs(&m) >= ORDER_LEGS && !test_pause_ms(test) &&
           relocation_covers_pairs(run, test);
}

/* The last leg has all that follows. */
static struct march_part part_of(const struct test_run *run, uint32_t leg)
{
    return march_part_of_legs(&run->march, leg, leg == ORDER_LEGS - 1 ? UINT32_MAX : leg);
}

static bool choose_places(const struct test_run *run)
{
    share_main(&run->whole->shares);
    if (footprint_copy(&home[0], arena_footprint()) != STATUS_OK)
        return false;
    for (size_t i = 1; i < ORDER_LEGS + 1; i++) {
        if (relocation_choose(run, places, i, &home[i]) != STATUS_OK)
            return false;
    }
    return share_with_cuts(&run->whole->shares, places, ORDER_LEGS, SHARE_ALL_BUT_OKRAM) ==
           STATUS_OK;
}

/* The march's first write, and others without a direction, cover all at once. */
static bool has_sides(const struct march_element *e, uint32_t index)
{
    return index > 0 && (e->kind == MARCH_UP || e->kind == MARCH_DOWN);
}

/* Lines were held since the last element that wrote began, not since it ended. */
static void note_held(struct attempt *a, const struct march_element *e, uint64_t began_us)
{
    struct external *external = &a->run->whole->found.external;

    if (external_any(external))
        external_held(external, tsc_elapsed_us() - a->written_us);
    if (march_element_writes(e))
        a->written_us = began_us;
}

/* Returns where in the run that is. */
static struct test_place share_places(const struct attempt *a, const struct footprint *const *where,
                                      size_t n)
{
    struct test_place place = a->place;

    share_vacated(&a->run->whole->shares, where, n, NULL);
    element_cut_shares(a->run->whole, &place);
    return place;
}

/* All of them come before the rest, or after it: their own order does not matter. */
static void do_in_places(const struct attempt *a, struct march_part part,
                         const struct footprint *const *where, size_t n)
{
    struct test_place place;

    if (!n)
        return;
    place = share_places(a, where, n);
    place.any_order = true;
    rounds_do_elements(a->run, part, a->data, place);
}

static void do_in_rest(const struct attempt *a, struct march_part part, enum share_cuts which)
{
    ASSERT(share_with_cuts(&a->run->whole->shares, places, ORDER_LEGS, which) == STATUS_OK);
    rounds_do_elements(a->run, part, a->data, a->place);
}

static void do_one(struct attempt *a, uint32_t index, uint32_t leg)
{
    const struct march_element *e = &a->run->march.element[index];
    const struct sides *s = &sides[leg];
    struct march_part part = { index, index + 1 };
    uint64_t began_us = tsc_elapsed_us();

    if (has_sides(e, index)) {
        do_in_places(a, part, s->place, s->n_before);
        do_in_rest(a, part, SHARE_REST);
        do_in_places(a, part, s->place + s->n_before, ORDER_LEGS - 1 - s->n_before);
    } else {
        do_in_rest(a, part, SHARE_ALL_BUT_OKRAM);
    }
    note_held(a, e, began_us);
}

static void run_extra_element(struct attempt *a, const struct footprint *where,
                              struct march_element e)
{
    struct test_place place = share_places(a, &where, 1);

    a->swept_extra += spans_bytes(&a->run->whole->shares.tested);
    rounds_do_element(a->run, &e, a->data, place);
}

static bool is_at(const void *ctx, uint64_t phys)
{
    return footprint_holds(ctx, phys);
}

/* Lines that a device wrote to must be tested again after the round. */
static bool try_relocate_to(const struct attempt *a, const struct footprint *place)
{
    struct run *whole = a->run->whole;

    share_main(&whole->shares);
    return !external_any_at(&whole->found.external, is_at, place) &&
           relocate_to(a->run, place) == STATUS_OK && whole->plan.n_workers == a->n_workers;
}

/* From its place in one leg to that in the next. */
static void move_on(struct attempt *a, uint32_t leg)
{
    bool complement = march_holds_complement(&a->run->march, part_of(a->run, leg).end);

    run_extra_element(a, &home[leg + 1], march_verify(complement));
    if (rounds_interrupted(a->run->whole))
        return;
    a->failed = !try_relocate_to(a, &home[leg + 1]);
    if (!a->failed)
        run_extra_element(a, &home[leg], march_fill(complement));
}

static void do_leg(struct attempt *a, uint32_t leg)
{
    struct march_part part = part_of(a->run, leg);

    for (uint32_t i = part.first; i < part.end && !rounds_interrupted(a->run->whole); i++)
        do_one(a, i, leg);
}

static void do_legs(void *ctx, const struct test_run *run, const struct data *data,
                    struct test_place place)
{
    struct attempt *a = ctx;

    *a = (struct attempt){ .run = run,
                           .data = data,
                           .place = place,
                           .n_workers = run->whole->plan.n_workers,
                           .swept_before = progress_total_swept(),
                           .written_us = tsc_elapsed_us() };
    a->has_places = choose_places(run);
    if (!a->has_places)
        return;
    for (uint32_t leg = 0; leg < ORDER_LEGS && !a->failed && !rounds_interrupted(run->whole);
         leg++) {
        do_leg(a, leg);
        if (leg < ORDER_LEGS - 1 && !rounds_interrupted(run->whole))
            move_on(a, leg);
    }
}

/* Does the whole march on the three places, each of which has missed a leg. */
static void run_in_places(const struct attempt *a, struct test_run *run)
{
    struct vacated vacated = { .place = { places[0], places[1], places[2] },
                               .n = ORDER_LEGS,
                               .pairs = VACATED_ALL_PAIRS,
                               .completes = true,
                               .add_bytes = a->swept_extra };

    for (uint32_t leg = 0; leg < ORDER_LEGS; leg++)
        vacated.add_bytes +=
            plan_tested_bytes(&run->whole->plan, &home[leg]) *
            (test_sweeps(run->test) - march_part_sweeps(&run->march, part_of(run, leg)));
    vacated_run(run, &vacated, rounds_all(run));
}

/* For okram's last place any other will do. */
static bool leave_places(const struct attempt *a)
{
    if (try_relocate_to(a, &home[ORDER_LEGS]))
        return true;
    share_main(&a->run->whole->shares);
    return relocation_choose(a->run, places, ORDER_LEGS, &home[ORDER_LEGS]) == STATUS_OK &&
           try_relocate_to(a, &home[ORDER_LEGS]);
}

/* False: okram is in a place where it should not be. */
static bool attempt(struct attempt *a, struct test_run *run)
{
    struct rounds rounds = rounds_all(run);

    rounds.march = do_legs;
    rounds.ctx = a;
    rounds_run(run, rounds);
    if (stop_is_requested())
        return true;
    if (!a->has_places || a->failed)
        return false;
    tested_all_except(&run->whole->tested, places, ORDER_LEGS - 1);
    if (!leave_places(a))
        return false;
    run_in_places(a, run);
    return true;
}

bool three_legs_run(struct test_run *run)
{
    bool is_done = false;

    for (unsigned i = 0; i < ATTEMPTS && !is_done; i++) {
        struct attempt a = { 0 };

        is_done = attempt(&a, run);
        if (!is_done)
            progress_add_repeat(progress_total_swept() - a.swept_before);
        if (!a.has_places)
            break;
    }
    share_main(&run->whole->shares);
    return is_done;
}
