// SPDX-License-Identifier: MIT
#include "testing/relocation.h"

#include "arch/tsc.h"
#include "event/stop.h"
#include "faults/fault_emit.h"
#include "faults/reporter.h"
#include "plan/share.h"
#include "progress/progress.h"
#include "saver/saving.h"
#include "self/move.h"
#include "self/unsteady.h"
#include "self/self_check.h"
#include "testing/element.h"

static uint64_t took_us;

bool relocation_is_due(const struct plan *plan, const struct test *test)
{
    return test->kind != TEST_HAMMER && plan_includes_arena(plan);
}

bool relocation_covers_pairs(const struct run *run, const struct test *test)
{
    return relocation_is_due(&run->plan, test) &&
           selection_is_strongest_coupling_test(&run->selection, test) &&
           unpaired_remains(&run->unpaired);
}

uint64_t relocation_took_us(void)
{
    return took_us;
}

static struct mover mover_of(struct run *run)
{
    return (struct mover){ &run->shares, &run->unpaired, &run->poll };
}

static uint64_t begin(struct run *run)
{
    saving_wait(run->saver, &run->poll); /* all CPUs move */
    return tsc_elapsed_us();
}

static void log_unsteady(struct run *run, struct test_place place)
{
    struct unsteady_word word;

    while (unsteady_take(&word))
        reporter_log_word(run, (struct external_place){ .test = place.test, .pass = place.pass },
                          word.addr, word.first, word.second);
}

static enum status finish(const struct test_run *run, enum status status, uint64_t began_us)
{
    fault_emit_own_aliases(run->whole, run->place.pass);
    log_unsteady(run->whole, run->place);
    if (status == STATUS_OK)
        self_check_all(&run->whole->found.log);
    took_us = tsc_elapsed_us() - began_us;
    return status;
}

enum status relocate(const struct test_run *run, const struct footprint *avoid,
                     const struct footprint **ret_left)
{
    uint64_t began_us = begin(run->whole);

    return finish(run, move_away(mover_of(run->whole), avoid, ret_left), began_us);
}

enum status relocation_choose(const struct test_run *run, const struct footprint *const *avoid,
                              size_t n, struct footprint *ret)
{
    enum status status;

    saving_wait(run->whole->saver, &run->whole->poll); /* all CPUs may march over it */
    status = move_choose(mover_of(run->whole), avoid, n, ret);
    fault_emit_own_aliases(run->whole, run->place.pass);
    return status;
}

enum status relocate_to(const struct test_run *run, const struct footprint *place)
{
    const struct footprint *left;
    uint64_t began_us = begin(run->whole);

    return finish(run, move_to(mover_of(run->whole), place, &left), began_us);
}

static bool move_first(const struct test_run *run, struct vacated *v)
{
    if (!v->relocate)
        return true;
    if (relocate(run, v->avoid, &v->place[v->n]) != STATUS_OK)
        return false;
    v->n++;
    return true;
}

static void account(struct run *run, const struct vacated *v, bool with_unpaired)
{
    if (v->completes)
        tested_remaining(&run->tested);
    if (v->pairs == VACATED_ALL_PAIRS)
        unpaired_all_is_tested(&run->unpaired);
    else if (with_unpaired)
        unpaired_vacated_is_tested(&run->unpaired);
}

bool vacated_run(struct test_run *run, struct vacated *v, struct rounds rounds)
{
    const struct unpaired *unpaired = &run->whole->unpaired;
    const struct test_place place = run->place;
    bool with_unpaired;

    if (!move_first(run, v))
        return false;
    with_unpaired = v->pairs == VACATED_WITH_UNPAIRED && !unpaired_holds_okram(unpaired);
    share_vacated(&run->whole->shares, v->place, v->n, with_unpaired ? &unpaired->memory : NULL);
    element_cut_shares(run->whole, &run->place);
    progress_add_repeat(v->add_bytes);
    rounds_run(run, rounds);
    run->place = place;
    if (!stop_is_requested())
        account(run->whole, v, with_unpaired);
    share_main(&run->whole->shares);
    return true;
}
