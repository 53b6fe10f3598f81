// SPDX-License-Identifier: MIT
#include "kind/kind_lanes.h"

#include "lib/bits.h"

#define LANES_LEFT  4  /* of a module's middle */
#define RANDOM_BITS 16 /* or more of 64: below that one in 70,000 random words is */

/* The pins of a word's wrong bits. */
static uint64_t pins_of(const struct kind_word *word, unsigned bus_bits)
{
    return kind_lane_fold(kind_word_bits(word), bus_bits);
}

/* The first pin of a group of `size` pins that enough words keep to; bus_bits: there is none. */
static unsigned find_group(const struct kind_words *words, unsigned bus_bits, unsigned size)
{
    uint64_t mask = (UINT64_C(1) << size) - 1;

    for (unsigned pin = 0; pin < bus_bits; pin += size) {
        size_t n = 0;

        for (size_t i = 0; i < words->n; i++)
            n += (pins_of(&words->word[i], bus_bits) & ~(mask << pin)) == 0;
        if (n * 100 >= words->n * KIND_LANE_SHARE)
            return pin;
    }
    return bus_bits;
}

/* The narrowest. */
static struct kind_lane find_in(const struct kind_words *words, unsigned bus_bits)
{
    static const struct {
        size_t n_words;
        unsigned size;
        enum kind_lane_what what;
    } groups[] = { { 1, 1, KIND_LANE_PIN },
                   { 1, 4, KIND_LANE_NIBBLE },
                   { 1, 8, KIND_LANE_BYTE },
                   { KIND_LANE_DOUBLE_MIN, 16, KIND_LANE_DOUBLE } };

    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        unsigned pin = find_group(words, bus_bits, groups[i].size);

        if (pin < bus_bits && words->n >= groups[i].n_words)
            return (struct kind_lane){ groups[i].what, pin, bus_bits };
    }
    return (struct kind_lane){ KIND_LANE_NONE, 0, bus_bits };
}

struct kind_lane kind_lane_find(const struct kind_words *words, unsigned bus_bits)
{
    struct kind_lane lane = find_in(words, bus_bits ? bus_bits : 64), folded;

    if (bus_bits || (lane.what != KIND_LANE_NONE && lane.what != KIND_LANE_DOUBLE))
        return lane;
    folded = find_in(words, 32);
    return folded.what == KIND_LANE_NONE || lane.what == folded.what ? lane : folded;
}

unsigned kind_lane_random(const struct kind_words *words)
{
    size_t n = 0;

    for (size_t i = 0; i < words->n; i++)
        n += bits_count(kind_word_bits(&words->word[i])) >= RANDOM_BITS;
    return words->n ? (unsigned)(n * 100 / words->n) : 0;
}

unsigned kind_lane_pins(const struct kind_lane *lane)
{
    static const unsigned pins[] = {
        [KIND_LANE_NONE] = 0, [KIND_LANE_PIN] = 1,     [KIND_LANE_NIBBLE] = 4,
        [KIND_LANE_BYTE] = 8, [KIND_LANE_DOUBLE] = 16,
    };

    return pins[lane->what];
}

static void put_bits(struct fmt_buffer *b, const struct kind_lane *lane)
{
    if (kind_lane_pins(lane) == 1)
        fmt_append(b, " (bit %u)", lane->pin);
    else
        fmt_append(b, " (bits %u-%u)", lane->pin, lane->pin + kind_lane_pins(lane) - 1);
}

static bool is_nibble(const struct kind_lane *lane, unsigned chip_bits)
{
    return chip_bits == 4 && (lane->what == KIND_LANE_NIBBLE || lane->what == KIND_LANE_PIN);
}

void kind_chip_append(struct fmt_buffer *b, const struct kind_lane *lane, unsigned chip_bits)
{
    if (lane->what == KIND_LANE_NONE)
        return;
    if (is_nibble(lane, chip_bits))
        fmt_append(b, "nibble %u of %u", lane->pin / 4, lane->bus_bits / 4);
    else if (lane->what == KIND_LANE_DOUBLE || chip_bits == 16)
        fmt_append(b, "byte lanes %u and %u of %u", lane->pin / 16 * 2, lane->pin / 16 * 2 + 1,
                   kind_lane_of(lane));
    else
        fmt_append(b, "byte lane %u of %u", kind_lane_number(lane), kind_lane_of(lane));
    put_bits(b, lane);
    if (lane->bus_bits == 32)
        fmt_append(b, " of one of the module's two subchannels: which one is not known");
}

void kind_chip_append_picture(struct fmt_buffer *b, const struct kind_lane *lane,
                              unsigned chip_bits)
{
    if (lane->what == KIND_LANE_NONE || lane->what == KIND_LANE_DOUBLE || lane->bus_bits != 64 ||
        (chip_bits && chip_bits != 8))
        return;
    for (unsigned i = 0; i < kind_lane_of(lane); i++)
        fmt_append(b, i == kind_lane_number(lane) ? "%s[%u]" : "%s%u",
                   i == LANES_LEFT ? " | "
                   : i             ? " "
                                   : "",
                   i);
}
