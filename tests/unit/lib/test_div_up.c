// SPDX-License-Identifier: MIT
#include "lib/div_up.h"

#include "tests/unit/unit.h"

TEST(rounds_up)
{
    static const struct {
        uint64_t n, each, parts;
    } cases[] = {
        { 0, 1, 0 },
        { 0, 4096, 0 },
        { 1, 4096, 1 },
        { 4096, 4096, 1 },
        { 4097, 4096, 2 },
        { 10, 3, 4 },
        { 12, 3, 4 },
        { UINT64_MAX, 1, UINT64_MAX },
        { UINT64_MAX, 2, UINT64_C(1) << 63 },
        { UINT64_MAX, UINT64_MAX, 1 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(div_up(cases[i].n, cases[i].each), cases[i].parts);
}
