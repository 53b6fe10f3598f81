// SPDX-License-Identifier: MIT
/*
 * Channels and modules of addresses, as a person who knows the board has given them: channel.bits=
 * and slot.order=. Bit i of a channel's number is the XOR of some address bits, as in PassMark's
 * MemTest86 (ADDR2CHBITS). okram computes, and does not check. And how wide a channel is, by the
 * type of the modules that SMBIOS lists.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/smbios_memory.h"
#include "kind/kind_evidence.h"
#include "lib/fmt.h"

/* How wide a channel is, by the type of the modules: 64; DDR5's subchannel 32; 0: unknown, or
 * modules of several widths. slots: NULL: none listed. */
unsigned kind_bus_bits(const struct smbios_memory *slots);

/*
 * Whether chips have byte lanes of such a channel, as far as is known. LPDDR has channels of 16 and
 * 32 bits, and chips with several of them.
 */
bool kind_bus_has_lanes(const struct smbios_memory *slots);

#define KIND_CHANNEL_BITS_MAX 3

struct kind_channels {
    size_t n_bits; /* 0: not given */
    uint64_t bits[KIND_CHANNEL_BITS_MAX];
    const char
        *slots; /* of each channel in turn: "DIMM_A1,DIMM_B1"; + between several; "": not given */
};

/* How many channels there are. */
static inline unsigned kind_channels_count(const struct kind_channels *c)
{
    return 1u << c->n_bits;
}

unsigned kind_channel_of(const struct kind_channels *c, uint64_t addr);

/* Whether slots names each channel's. */
bool kind_channels_slots_fit(const struct kind_channels *c);

/* "channel 1 (DIMM_B1)"; without slots "channel 1". */
void kind_channel_append(struct fmt_buffer *b, const struct kind_channels *c, unsigned channel);

/* Of the faulty words: "channel 0 (DIMM_A1): 0, channel 1 (DIMM_B1): 12 of 12 words, computed with
 * your bits". */
void kind_channels_append(struct fmt_buffer *b, const struct kind_channels *c,
                          const struct kind_words *words);
