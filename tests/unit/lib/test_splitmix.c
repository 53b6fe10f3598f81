// SPDX-License-Identifier: MIT
#include "lib/splitmix.h"

#include "tests/unit/unit.h"

/* The first numbers of the published SplitMix64 for the seed 1234567. */
TEST(gives_the_published_sequence)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };
    uint64_t random = 1234567;

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_true(splitmix_next(&random) == expected[i]);
}

TEST(below_reaches_all_and_no_more)
{
    static const uint64_t limits[] = { 1, 2, 7, 64, UINT64_C(1) << 32 };
    unsigned seen[64] = { 0 };
    uint64_t random = 0;

    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        for (unsigned i = 0; i < 1000; i++)
            assert_true(splitmix_below(&random, limits[k]) < limits[k]);
    }
    for (unsigned i = 0; i < 64000; i++)
        seen[splitmix_below(&random, 64)]++;
    for (unsigned i = 0; i < 64; i++)
        assert_in_range(seen[i], 800, 1200);
}
