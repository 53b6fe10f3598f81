// SPDX-License-Identifier: MIT
#include "testing/moving.h"

#include "arch/tsc.h"
#include "calibration/selection.h"
#include "emit/fault_emit.h"
#include "plan/apart.h"
#include "plan/plan.h"
#include "saver/saving.h"
#include "self/move.h"
#include "self/upkeep.h"

static uint64_t took_us;

bool moving_is_due(const struct test *test)
{
    return test->kind != TEST_HAMMER && plan_includes_arena();
}

bool moving_is_for_pairs(const struct test *test)
{
    return moving_is_due(test) && selection_finds_most_pairs(test) && apart_is_open();
}

uint64_t moving_took_us(void)
{
    return took_us;
}

static uint64_t begin(void)
{
    saving_settle(); /* all CPUs move */
    return tsc_elapsed_us();
}

static enum status finish(enum status status, uint32_t pass, uint64_t began_us)
{
    fault_emit_own_aliases(pass);
    if (status == STATUS_OK)
        upkeep_settle();
    took_us = tsc_elapsed_us() - began_us;
    return status;
}

enum status moving_away(const struct arena_place *avoid, uint32_t pass,
                        const struct arena_place **ret_left)
{
    uint64_t began_us = begin();

    return finish(move_away(avoid, ret_left), pass, began_us);
}

enum status moving_choose(const struct arena_place *const *avoid, size_t n, uint32_t pass,
                          struct arena_place *ret)
{
    enum status status;

    saving_settle(); /* all CPUs may march over it */
    status = move_choose(avoid, n, ret);
    fault_emit_own_aliases(pass);
    return status;
}

enum status moving_to(const struct arena_place *place, uint32_t pass,
                      const struct arena_place **ret_left)
{
    uint64_t began_us = begin();

    return finish(move_to(place, ret_left), pass, began_us);
}
