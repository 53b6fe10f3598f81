// SPDX-License-Identifier: MIT
#include "kind/kind_lanes.h"

#include "tests/unit/unit.h"

static struct kind_words words;

static struct kind_lane find(const uint64_t *bits, size_t n, unsigned bus_bits)
{
    words.n = n;
    for (size_t i = 0; i < n; i++)
        words.word[i] = (struct kind_word){ .addr = i * 8, .rises = bits[i] };
    return kind_lane_find(&words, bus_bits);
}

static const struct {
    uint64_t bits[3];
    unsigned bus_bits;
    struct kind_lane lane;
} rows[] = {
    { { 8, 8, 8 }, 0, { KIND_LANE_PIN, 3, 64 } },
    { { 8, 8, 8 }, 32, { KIND_LANE_PIN, 3, 32 } },
    { { UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63 }, 64, { KIND_LANE_PIN, 63, 64 } },
    { { UINT64_C(1) << 63, UINT64_C(1) << 31, UINT64_C(1) << 63 }, 0, { KIND_LANE_PIN, 31, 32 } },
    { { UINT64_C(1) << 63, UINT64_C(1) << 31, 0 }, 64, { KIND_LANE_NONE, 0, 64 } },
    { { 0x10, 0x80, 0x20 }, 64, { KIND_LANE_NIBBLE, 4, 64 } },
    { { 0x10, 0x80, 0x08 }, 64, { KIND_LANE_BYTE, 0, 64 } },
    { { UINT64_C(0x18) << 56, UINT64_C(0x81) << 24, UINT64_C(0xff) << 56 },
      0,
      { KIND_LANE_BYTE, 24, 32 } },
    { { 0x10, 0x100, 0x10 }, 0, { KIND_LANE_NONE, 0, 64 } },
};

TEST(finds_the_narrowest)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct kind_lane lane = find(rows[i].bits, 3, rows[i].bus_bits);

        if (lane.what != rows[i].lane.what || lane.pin != rows[i].lane.pin ||
            lane.bus_bits != rows[i].lane.bus_bits)
            fail_msg("row %zu: %d, pin %u of %u", i, lane.what, lane.pin, lane.bus_bits);
    }
}

TEST(two_lanes_take_many_words)
{
    uint64_t bits[KIND_LANE_DOUBLE_MIN];

    for (size_t i = 0; i < KIND_LANE_DOUBLE_MIN; i++)
        bits[i] = UINT64_C(1) << (16 + i % 16);
    assert_int_equal(find(bits, KIND_LANE_DOUBLE_MIN, 64).what, KIND_LANE_DOUBLE);
    assert_int_equal(find(bits, KIND_LANE_DOUBLE_MIN, 64).pin, 16);
    assert_int_equal(find(bits, KIND_LANE_DOUBLE_MIN - 1, 64).what, KIND_LANE_NONE);
}

TEST(one_in_twenty_may_be_elsewhere)
{
    uint64_t bits[20];

    for (size_t i = 0; i < 20; i++)
        bits[i] = 1;
    bits[5] = 1 << 20;
    assert_int_equal(find(bits, 20, 64).what, KIND_LANE_PIN);
    bits[6] = 1 << 21;
    assert_int_equal(find(bits, 20, 64).what, KIND_LANE_NONE);
}

TEST(names_its_lane)
{
    const struct kind_lane lane = { KIND_LANE_PIN, 29, 32 };

    assert_int_equal(kind_lane_number(&lane), 3);
    assert_int_equal(kind_lane_of(&lane), 4);
    assert_int_equal(kind_lane_pins(&lane), 1);
}

static const struct {
    struct kind_lane lane;
    unsigned chip_bits;
    const char *chip, *picture;
} chips[] = {
    { { KIND_LANE_NONE, 0, 64 }, 8, "", "" },
    { { KIND_LANE_BYTE, 24, 64 }, 0, "byte lane 3 of 8 (bits 24-31)", "0 1 2 [3] | 4 5 6 7" },
    { { KIND_LANE_PIN, 63, 64 }, 8, "byte lane 7 of 8 (bit 63)", "0 1 2 3 | 4 5 6 [7]" },
    { { KIND_LANE_PIN, 0, 64 }, 8, "byte lane 0 of 8 (bit 0)", "[0] 1 2 3 | 4 5 6 7" },
    { { KIND_LANE_NIBBLE, 36, 64 }, 0, "byte lane 4 of 8 (bits 36-39)", "0 1 2 3 | [4] 5 6 7" },
    { { KIND_LANE_NIBBLE, 36, 64 }, 4, "nibble 9 of 16 (bits 36-39)", "" },
    { { KIND_LANE_PIN, 37, 64 }, 4, "nibble 9 of 16 (bit 37)", "" },
    { { KIND_LANE_BYTE, 40, 64 }, 16, "byte lanes 4 and 5 of 8 (bits 40-47)", "" },
    { { KIND_LANE_DOUBLE, 16, 64 }, 0, "byte lanes 2 and 3 of 8 (bits 16-31)", "" },
    { { KIND_LANE_BYTE, 8, 32 },
      8,
      "byte lane 1 of 4 (bits 8-15) of one of the module's two subchannels: which one is not known",
      "" },
};

TEST(names_and_shows_the_chip)
{
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        char text[160], picture[64];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
        struct fmt_buffer p = fmt_buffer_make(picture, sizeof(picture));

        kind_chip_append(&b, &chips[i].lane, chips[i].chip_bits);
        kind_chip_append_picture(&p, &chips[i].lane, chips[i].chip_bits);
        assert_string_equal(text, chips[i].chip);
        assert_string_equal(picture, chips[i].picture);
    }
}
