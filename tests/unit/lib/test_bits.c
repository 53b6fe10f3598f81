// SPDX-License-Identifier: MIT
#include "lib/bits.h"

#include "tests/unit/unit.h"

TEST(counts_bits)
{
    assert_int_equal(bits_count(0), 0);
    assert_int_equal(bits_count(UINT64_MAX), 64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(bits_count(UINT64_C(1) << i), 1);
        assert_int_equal(bits_count((UINT64_C(1) << i) - 1), i);
    }
}

/* One word that is wrong does not matter, whichever it is, and not even in which bits. */
TEST(takes_what_two_of_three_have)
{
    const uint64_t truth = UINT64_C(0x0123456789abcdef), wrong = UINT64_C(0xff00f0aa55cc0f0f);

    assert_int_equal(bits_majority(truth, truth, wrong), truth);
    assert_int_equal(bits_majority(truth, wrong, truth), truth);
    assert_int_equal(bits_majority(wrong, truth, truth), truth);
    assert_int_equal(bits_majority(0xc, 0xa, 0x6), 0xe);
}
