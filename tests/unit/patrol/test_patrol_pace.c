// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static const struct {
    struct patrol_pace pace;
    uint64_t left_us, block;
} paces[] = {
    { { 0, 0 }, 5000000, MIB }, /* nothing is known yet */
    { { 0, 0 }, 1, MIB },
    { { MIB, 0 }, 1, MIB },
    { { 0, 5000 }, 1, MIB },
    { { 0, 0 }, 0, 0 },
    { { MIB, 10000 }, 0, 0 },

    { { MIB, 1000 }, 1000000, PATROL_BLOCK_MAX },
    { { MIB, 1000 }, 32000, PATROL_BLOCK_MAX }, /* half of it */
    { { MIB, 1000 }, 31999, 16 * MIB - 4 * KIB },
    { { MIB, 1000 }, 2000, MIB },
    { { MIB, 1000 }, 125, PATROL_BLOCK_MIN },
    { { MIB, 1000 }, 124, 0 },

    { { 4 * KIB, 2000000 }, 3000000, 0 }, /* very slow */
    { { UINT64_MAX / 2, 1 }, 1000, PATROL_BLOCK_MAX },
    { { 1, UINT64_MAX }, UINT64_MAX, 0 },
};

static void blocks(void **state)
{
    for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++)
        assert_int_equal(patrol_pace_block(paces[i].pace, paces[i].left_us), paces[i].block);
}

/* At an even pace it ends in time, and uses nearly all of it. */
static void ends_in_time(void **state)
{
    for (uint64_t rate = 1; rate < 3000; rate = rate * 2 + 1) { /* bytes a us */
        struct patrol_pace pace = { 0, 0 };
        uint64_t budget_us = 5000000, block;

        while ((block = patrol_pace_block(pace, budget_us - pace.us)) != 0) {
            pace.bytes += block;
            pace.us += block / rate + 1;
            assert_true(pace.us <= budget_us);
        }
        assert_true(budget_us - pace.us <= 2 * PATROL_BLOCK_MIN / rate + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(ends_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
