// SPDX-License-Identifier: MIT
#include "lib/crc32c.h"

#include "tests/unit/unit.h"

/* RFC 3720, B.4, and the check value of the catalogue of CRCs. */
TEST(the_standards_examples)
{
    const crc32c_function both[] = { crc32c_by_nibbles, crc32c_best() };
    static const uint8_t zeros[32];
    uint8_t ones[32], up[32], down[32];

    memset(ones, 0xff, sizeof(ones));
    for (int i = 0; i < 32; i++) {
        up[i] = (uint8_t)i;
        down[i] = (uint8_t)(31 - i);
    }
    for (size_t f = 0; f < 2; f++) {
        assert_int_equal(crc32c_of(both[f], zeros, 32), 0x8a9136aa);
        assert_int_equal(crc32c_of(both[f], ones, 32), 0x62a8ab43);
        assert_int_equal(crc32c_of(both[f], up, 32), 0x46dd794e);
        assert_int_equal(crc32c_of(both[f], down, 32), 0x113fdb5c);
        assert_int_equal(crc32c_of(both[f], "123456789", 9), 0xe3069283);
        assert_int_equal(crc32c_of(both[f], "", 0), 0);
    }
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
}

TEST(both_ways_agree_at_all_lengths_and_places)
{
    uint8_t bytes[80];

    if (crc32c_best() != crc32c_by_instruction)
        skip();
    for (int i = 0; i < 80; i++)
        bytes[i] = (uint8_t)(i * i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; n + from <= 80; n++)
            assert_int_equal(crc32c_by_nibbles(7, bytes + from, n),
                             crc32c_by_instruction(7, bytes + from, n));
}

TEST(a_table_is_as_good_at_all_places)
{
    enum { LONGEST = CRC32C_TABLE_PAYS + 25 };
    uint8_t bytes[LONGEST + 8];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i * 37 + i / 256 + 11);
    for (size_t from = 0; from < 8; from++)
        for (size_t n = CRC32C_TABLE_PAYS - 2; n <= LONGEST; n++)
            assert_int_equal(crc32c_by_table(0x87654321, bytes + from, n),
                             crc32c_by_nibbles(0x87654321, bytes + from, n));
}

static const struct {
    uint32_t actual[2], kept[2];
    bool agree;
    uint32_t sum;
} cases[] = {
    { { 1, 1 }, { 1, 1 }, true, 1 }, { { 2, 1 }, { 1, 1 }, true, 1 }, /* one is wrong */
    { { 1, 2 }, { 1, 1 }, true, 1 }, { { 1, 1 }, { 2, 1 }, true, 1 },
    { { 1, 1 }, { 1, 2 }, true, 1 }, { { 1, 1 }, { 2, 3 }, true, 1 }, /* both kept ones */
    { { 2, 3 }, { 1, 1 }, true, 1 },                                  /* page and copy */
    { { 2, 1 }, { 3, 1 }, true, 1 },                                  /* one of each */
    { { 1, 2 }, { 1, 3 }, true, 1 }, { { 1, 2 }, { 3, 1 }, true, 1 },
    { { 2, 2 }, { 1, 1 }, true, 1 }, /* two against two: the kept ones */
    { { 2, 1 }, { 2, 1 }, true, 2 }, { { 1, 2 }, { 3, 4 }, false, 0 },
};

TEST(test_votes)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t sum = 0;

        assert_int_equal(crc32c_vote(cases[i].actual, cases[i].kept, &sum), cases[i].agree);
        assert_int_equal(sum, cases[i].sum);
    }
}
