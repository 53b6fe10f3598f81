// SPDX-License-Identifier: MIT
#include "boot/uefi/ia32/divide.h"

#include "tests/unit/unit.h"

static const uint64_t values[] = {
    1,          2,
    3,          10,
    255,        0x7fffffff,
    0x80000000, 0xffffffff,
    1ull << 32, 10000000000,
    1ull << 62, (1ull << 63) - 1,
    1ull << 63, UINT64_MAX - 1,
    UINT64_MAX,
};

TEST(divides_as_the_cpu_does)
{
    for (size_t i = 0; i <= COUNT(values); i++) {
        uint64_t n = i < COUNT(values) ? values[i] : 0;

        for (size_t j = 0; j < COUNT(values); j++) {
            uint64_t remainder;

            assert_true(__udivmoddi4(n, values[j], &remainder) == n / values[j]);
            assert_true(remainder == n % values[j]);
            assert_true(__udivmoddi4(n, values[j], NULL) == n / values[j]);
            assert_true(__udivdi3(n, values[j]) == n / values[j]);
            assert_true(__umoddi3(n, values[j]) == n % values[j]);
        }
    }
}

TEST(finds_the_lowest_bit)
{
    for (int bit = 0; bit < 64; bit++) {
        assert_int_equal(__ctzdi2(UINT64_C(1) << bit), bit);
        assert_int_equal(__ctzdi2(UINT64_MAX << bit), bit);
    }
}
