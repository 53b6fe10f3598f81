// SPDX-License-Identifier: MIT
#include "testing/relocation.h"

#include "arch/tsc.h"
#include "calibration/selection.h"
#include "faults/fault_emit.h"
#include "faults/reporter.h"
#include "plan/plan.h"
#include "plan/unpaired.h"
#include "saver/saving.h"
#include "self/move.h"
#include "self/unsteady.h"
#include "self/upkeep.h"

static uint64_t took_us;

bool relocation_is_due(const struct test *test)
{
    return test->kind != TEST_HAMMER && plan_includes_arena();
}

bool relocation_covers_pairs(const struct test *test)
{
    return relocation_is_due(test) && selection_is_strongest_coupling_test(test) &&
           unpaired_remains();
}

uint64_t relocation_took_us(void)
{
    return took_us;
}

static uint64_t begin(void)
{
    saving_wait(); /* all CPUs move */
    return tsc_elapsed_us();
}

static void log_unsteady(struct test_place place)
{
    struct unsteady_word word;

    while (unsteady_take(&word))
        reporter_log_word((struct external_place){ .test = place.test, .pass = place.pass },
                          word.addr, word.first, word.second);
}

static enum status finish(enum status status, struct test_place place, uint64_t began_us)
{
    fault_emit_own_aliases(place.pass);
    log_unsteady(place);
    if (status == STATUS_OK)
        upkeep_full();
    took_us = tsc_elapsed_us() - began_us;
    return status;
}

enum status relocate(const struct test_run *run, const struct footprint *avoid,
                     const struct footprint **ret_left)
{
    uint64_t began_us = begin();

    return finish(move_away(run->shares, avoid, ret_left), run->place, began_us);
}

enum status relocation_choose(const struct test_run *run, const struct footprint *const *avoid,
                              size_t n, struct footprint *ret)
{
    enum status status;

    saving_wait(); /* all CPUs may march over it */
    status = move_choose(run->shares, avoid, n, ret);
    fault_emit_own_aliases(run->place.pass);
    return status;
}

enum status relocate_to(const struct test_run *run, const struct footprint *place)
{
    const struct footprint *left;
    uint64_t began_us = begin();

    return finish(move_to(run->shares, place, &left), run->place, began_us);
}
