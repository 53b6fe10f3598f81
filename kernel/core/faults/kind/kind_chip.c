// SPDX-License-Identifier: MIT
#include "kind/kind_chip.h"

#define LANES_LEFT 4 /* of a module's middle */

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
