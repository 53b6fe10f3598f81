// SPDX-License-Identifier: MIT
#include "lib/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void counts_bits(void **state)
{
    assert_int_equal(bits_count(0), 0);
    assert_int_equal(bits_count(UINT64_MAX), 64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(bits_count(UINT64_C(1) << i), 1);
        assert_int_equal(bits_count((UINT64_C(1) << i) - 1), i);
    }
}

/* One word that is wrong does not matter, whichever it is, and not even in which bits. */
static void takes_what_two_of_three_have(void **state)
{
    const uint64_t truth = UINT64_C(0x0123456789abcdef), wrong = UINT64_C(0xff00f0aa55cc0f0f);

    assert_int_equal(bits_majority(truth, truth, wrong), truth);
    assert_int_equal(bits_majority(truth, wrong, truth), truth);
    assert_int_equal(bits_majority(wrong, truth, truth), truth);
    assert_int_equal(bits_majority(0xc, 0xa, 0x6), 0xe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_bits),
        cmocka_unit_test(takes_what_two_of_three_have),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
