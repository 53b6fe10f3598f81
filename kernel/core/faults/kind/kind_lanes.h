// SPDX-License-Identifier: MIT
/*
 * Which data pins wrong bits came through, and so which chip. Byte lanes are counted from 0, as on
 * the module's edge: DQ0-7 are lane 0 (JEDEC Standard 21-C, 4.20.26, DDR4 UDIMM).
 *
 * Of DDR to DDR4 a channel is 64 bits wide, and bit b of each 64-bit word is of data pin b. A
 * module's chips of 8 bits (x8) have one byte lane each: pins 0-7, 8-15, .... Of DDR5 a module has
 * two subchannels of 32 bits, and a line comes from one of them in 16 beats (JESD79-5): pin p
 * carries the bits p and p + 32 of each word. Which subchannel, and which rank and module, the
 * address map decides, which is not known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kind/kind_evidence.h"
#include "lib/fmt.h"

enum kind_lane_what {
    KIND_LANE_NONE,   /* bits of several lanes, or nothing can be said */
    KIND_LANE_BYTE,   /* all bits are of one byte lane */
    KIND_LANE_NIBBLE, /* of one half of one: a chip of 4 bits has that */
    KIND_LANE_PIN,    /* of one pin */
    KIND_LANE_DOUBLE, /* of two byte lanes next to each other: a chip of 16 bits has that */
};

struct kind_lane {
    enum kind_lane_what what;
    unsigned pin;      /* the first */
    unsigned bus_bits; /* 64 or 32 */
};

/* The data pins of bits of a word. bus_bits: of a channel. */
static inline uint64_t kind_lane_fold(uint64_t bits, unsigned bus_bits)
{
    return bus_bits == 32 ? (bits | bits >> 32) & UINT32_MAX : bits;
}

/*
 * What KIND_LANE_SHARE of 100 words have in common. bus_bits: of a channel; 0: unknown: 32 if
 * bits come in pairs, otherwise 64. Two lanes are not looked for among few words.
 */
#define KIND_LANE_DOUBLE_MIN 32
struct kind_lane kind_lane_find(const struct kind_words *words, unsigned bus_bits);

/* Of 100 words, how many are wrong in as many bits as random data would be: another address's. */
unsigned kind_lane_random(const struct kind_words *words);

/* How many pins it has; 0: KIND_LANE_NONE. */
unsigned kind_lane_pins(const struct kind_lane *lane);

/* Which byte lane, of how many. */
static inline unsigned kind_lane_number(const struct kind_lane *lane)
{
    return lane->pin / 8;
}

static inline unsigned kind_lane_of(const struct kind_lane *lane)
{
    return lane->bus_bits / 8;
}

/*
 * "byte lane 3 of 8 (bits 24-31)". chip_bits: of the module's chips, 0: unknown. Of DDR5 also which
 * subchannel: that cannot be said. Nothing for KIND_LANE_NONE.
 */
void kind_chip_append(struct fmt_buffer *b, const struct kind_lane *lane, unsigned chip_bits);

/*
 * The chips of a usual module of eight (x8) in a row, as seen from the front, the one of the lane
 * marked: "0 1 2 [3] | 4 5 6 7". Nothing where that is not one of eight chips.
 */
void kind_chip_append_picture(struct fmt_buffer *b, const struct kind_lane *lane,
                              unsigned chip_bits);
