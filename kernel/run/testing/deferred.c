// SPDX-License-Identifier: MIT
#include "testing/deferred.h"

#include "event/stop.h"
#include "plan/share.h"
#include "self/self_check.h"
#include "sweep/tests.h"
#include "testing/relocation.h"

/* okram spends a hundredth of the time on moves, or a little more. */
#define MOVE_PARTS 100

/* Until okram has moved. */
#define MOVE_GUESS_US 50000

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
    return us >= MOVE_PARTS * (relocation_took_us() ? relocation_took_us() : MOVE_GUESS_US);
}

static void run_on_vacated(struct test_run *run, const struct footprint *left)
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
        run_on_vacated(run, left);
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

void deferred_finish(struct test_run *run)
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
