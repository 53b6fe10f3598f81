// SPDX-License-Identifier: MIT
#include "rows/row_modes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "lib/splitmix.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Modes: so many latencies around a mean, evenly up to `spread` from it. */
static const struct {
    struct {
        uint32_t mean, n;
    } mode[3];
    uint32_t spread, n_modes, low, high; /* the threshold is between these */
} cases[] = {
    { { { 360, 500 }, { 550, 8 } }, 30, 2, 391, 519 },
    { { { 360, 500 }, { 550, 7 } }, 30, 1, 0, 0 },
    { { { 360, 8 }, { 550, 500 } }, 30, 2, 391, 519 },
    { { { 360, 7 }, { 550, 500 } }, 30, 1, 0, 0 },
    { { { 360, 500 } }, 30, 1, 0, 0 },
    { { { 360, 500 } }, 0, 1, 0, 0 },
    { { { 360, 500 }, { 377, 100 } }, 0, 1, 0, 0 }, /* by less than a twentieth */
    { { { 360, 500 }, { 378, 100 } }, 0, 2, 360, 377 },
    { { { 360, 500 }, { 375, 100 }, { 550, 20 } }, 3, 2, 379, 546 },
    { { { 360, 500 }, { 420, 100 } }, 60, 1, 0, 0 },
    { { { 360, 10 } }, 30, 1, 0, 0 },
    { { { 0 } }, 0, 1, 0, 0 },
};

static void modes(void **state)
{
    static uint32_t latency[2000];
    uint64_t random = 1;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct row_modes found = { 1, 2, 3 };
        size_t n = 0;

        for (size_t m = 0; m < COUNT(cases[i].mode); m++) {
            for (uint32_t k = 0; k < cases[i].mode[m].n; k++)
                latency[n++] = cases[i].mode[m].mean - cases[i].spread +
                               (uint32_t)splitmix_below(&random, 2 * cases[i].spread + 1);
        }
        assert_int_equal(row_modes_find(latency, n, &found), cases[i].n_modes == 2);
        if (cases[i].n_modes == 2) {
            assert_in_range(found.threshold, cases[i].low, cases[i].high);
            assert_true(found.fast < found.slow);
        } else {
            assert_int_equal(found.threshold, 3);
        }
        for (size_t k = 1; k < n; k++)
            assert_true(latency[k - 1] <= latency[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(modes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
