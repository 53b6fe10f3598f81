// SPDX-License-Identifier: MIT
#include "kind/kind_channel.h"

#include "tests/unit/unit.h"

static const struct kind_channels skylake = { 1, { 0xc3300 }, "DIMM_A1,DIMM_B1" };

TEST(the_xor_of_bits_is_the_channel)
{
    const struct kind_channels two = { 2, { 0x40, 0x100 | UINT64_C(1) << 63 }, "" };

    assert_int_equal(kind_channel_of(&skylake, 0), 0);
    assert_int_equal(kind_channel_of(&skylake, 0x100), 1);
    assert_int_equal(kind_channel_of(&skylake, 0x300), 0);
    assert_int_equal(kind_channel_of(&skylake, 0xc3300), 0);
    assert_int_equal(kind_channel_of(&skylake, 0x80cf), 0);
    assert_int_equal(kind_channel_of(&two, 0x40), 1);
    assert_int_equal(kind_channel_of(&two, UINT64_C(1) << 63), 2);
    assert_int_equal(kind_channels_count(&two), 4);
}

static const struct {
    struct kind_channels channels;
    unsigned channel;
    bool fit;
    const char *text;
} rows[] = {
    { { 1, { 0x40 }, "A1,B1" }, 0, true, "channel 0 (A1)" },
    { { 1, { 0x40 }, "A1,B1" }, 1, true, "channel 1 (B1)" },
    { { 1, { 0x40 }, "A1+A2,B1+B2" }, 1, true, "channel 1 (B1+B2)" },
    { { 1, { 0x40 }, "A1" }, 1, false, "channel 1" },
    { { 1, { 0x40 }, "A1,B1,C1" }, 1, false, "channel 1" },
    { { 1, { 0x40 }, "" }, 1, false, "channel 1" },
    { { 2, { 0x40, 0x80 }, "A,B,C,D" }, 3, true, "channel 3 (D)" },
};

TEST(names_the_slots)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        kind_channel_append(&b, &rows[i].channels, rows[i].channel);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(kind_channels_slots_fit(&rows[i].channels), rows[i].fit);
    }
}

TEST(counts_words)
{
    static struct kind_words words;
    char text[160];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    words.n = 3;
    words.word[1].addr = words.word[2].addr = 0x108;
    kind_channels_append(&b, &skylake, &words);
    assert_string_equal(text, "channel 0 (DIMM_A1): 1, channel 1 (DIMM_B1): 2 of 3 faulty words, "
                              "computed with your bits");
}

static const struct {
    uint8_t type[2]; /* 0: an empty slot */
    unsigned bits;
    bool has_lanes;
} types[] = {
    { { 0x1a, 0x1a }, 64, true }, { { 0x18, 0 }, 64, true },   { { 0x22, 0x22 }, 32, true },
    { { 0x22, 0x1a }, 0, true },  { { 0x07, 0x1a }, 0, true }, { { 0x1e, 0x1e }, 0, false },
    { { 0x23, 0 }, 0, false },    { { 0, 0 }, 0, true },
};

TEST(goes_by_the_modules)
{
    assert_int_equal(kind_bus_bits(NULL), 0);
    assert_true(kind_bus_has_lanes(NULL));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        static struct smbios_memory slots;

        slots.n_slot = 2;
        for (size_t k = 0; k < 2; k++)
            slots.slot[k] = (struct smbios_slot){ .memory_type = types[i].type[k],
                                                  .is_populated = types[i].type[k] != 0,
                                                  .is_ordinary = true };
        assert_int_equal(kind_bus_bits(&slots), types[i].bits);
        assert_int_equal(kind_bus_has_lanes(&slots), types[i].has_lanes);
    }
}
