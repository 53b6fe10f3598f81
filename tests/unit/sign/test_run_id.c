// SPDX-License-Identifier: MIT
#include "sign/run_id.h"

#include <string.h>

#include "tests/unit/unit.h"

/* HMAC-SHA-256 with the key "okram run" and a NUL, by Python's hmac. */
TEST(the_first_half_of_an_hmac)
{
    char id[RUN_ID_SIZE];

    run_id_make("", 0, id);
    assert_string_equal(id, "847046054f7a96112185b00bee7c22e5");
    run_id_make("abc", 3, id);
    assert_string_equal(id, "acf9380882d56efe37769594cc01cf07");
}

/* A bit more or less anywhere is another run. */
TEST(every_bit_counts)
{
    char first[RUN_ID_SIZE], other[RUN_ID_SIZE];
    uint8_t bytes[64] = { 0 };

    run_id_make(bytes, sizeof(bytes), first);
    for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        run_id_make(bytes, sizeof(bytes), other);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(strlen(other), 32);
        assert_string_not_equal(first, other);
    }
}
