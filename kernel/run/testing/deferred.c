// SPDX-License-Identifier: MIT
#include "testing/deferred.h"

#include "event/stop.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "self/upkeep.h"
#include "sweep/tests.h"
#include "testing/element.h"
#include "testing/relocation.h"

/* okram moves for a hundredth of the time, or little more. */
#define MOVE_PARTS 100

static struct deferred {
    uint32_t test;
    struct counts counts;
} deferred[TEST_LIST_MAX];
static uint32_t n_deferred;

void deferred_add(const struct test_run *run, struct counts counts)
{
    deferred[n_deferred++] = (struct deferred){ run->place.test, counts };
}

bool deferred_are_due(void)
{
    uint64_t us = 0;

    for (uint32_t i = 0; i < n_deferred; i++)
        us += deferred[i].counts.us;
    return us >= MOVE_PARTS * relocation_took_us();
}

static void run_on_vacated(struct test_run *run, const struct footprint *left)
{
    share_vacated(left, NULL);
    element_cut_shares(&run->place);
    rounds_begin(run, pieces_tested_bytes(&plan.pieces));
    rounds_run(run, rounds_all(run));
    upkeep_full();
    if (!stop_is_requested())
        tested_remaining();
}

static void finish_one(struct test_run *run, struct deferred *m, const struct footprint *left)
{
    struct counts then = counts_now(m->test);

    test_run_init(m->test, run->place.pass, run->seed, run);
    if (left && !stop_is_requested())
        run_on_vacated(run, left);
    counts_add_since(&m->counts, m->test, then);
    counts_send(run, &m->counts);
}

/* What a move takes counts as the last test's time. NULL: okram is where it was. */
static const struct footprint *move(uint32_t pass)
{
    struct deferred *last = &deferred[n_deferred - 1];
    struct counts then = counts_now(last->test);
    const struct footprint *left;

    if (stop_is_requested() || relocate(NULL, pass, &left) != STATUS_OK)
        left = NULL;
    counts_add_since(&last->counts, last->test, then);
    return left;
}

void deferred_finish(struct test_run *run)
{
    const struct footprint *left;

    if (!n_deferred)
        return;
    left = move(run->place.pass);
    for (uint32_t i = 0; i < n_deferred; i++)
        finish_one(run, &deferred[i], left);
    n_deferred = 0;
    share_main();
}
