// SPDX-License-Identifier: MIT
/*
 * Whether faults keep to a place on the board, as those of memory do: to a channel, a module or a
 * rank; and to a byte lane, as those of one chip do. Those of a CPU are wherever it reads and
 * writes. But they, too, may keep to a byte lane, if a part of a unit or of a cache goes wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/dram_map.h"
#include "kind/kind_channel.h"

/* What is known of where addresses are. */
struct kind_board {
    const struct dram_map *map; /* by registers that a measurement confirms; NULL: there is none */
    uint64_t map_below;         /* holds for DRAM addresses below this */
    const struct kind_channels *channels; /* without a map: a person's bits; NULL: not given */
    unsigned bus_bits;                    /* of a channel: 64, DDR5's subchannel 32; 0: unknown */
};

enum kind_level { KIND_LEVEL_CHANNEL, KIND_LEVEL_MODULE, KIND_LEVEL_RANK, KIND_LEVELS };

#define KIND_PLACES_MAX (DRAM_CHANNELS_MAX * (DRAM_DIMMS_MAX + 1) * 4)

#define KIND_SPREAD_ZONES 64 /* equal parts of the addresses of memory */

/* Some 5 KiB: place it statically. */
struct kind_spread {
    unsigned n_levels;        /* how many levels, from the first, are known of each word */
    unsigned n[KIND_LEVELS];  /* places of a level that have wrong words */
    unsigned of[KIND_LEVELS]; /* all places of that level in the tested memory */
    double part[KIND_LEVELS][KIND_SPREAD_ZONES]; /* of a zone that is in the first word's place */
    struct kind_spread_places {
        uint32_t place[KIND_PLACES_MAX];
        unsigned n;
    } places[KIND_LEVELS]; /* those that were seen */
    bool is_one_lane;      /* all wrong bits are of one byte lane */
    unsigned lanes;        /* of a channel */
};

/* A wrong word. */
struct kind_spread_word {
    uint64_t addr, bits; /* bits: that were wrong */
};

/* zone_bytes: of a zone; is_tested: of each. */
void kind_spread_make(const struct kind_board *board, uint64_t zone_bytes,
                      const bool is_tested[KIND_SPREAD_ZONES], const struct kind_spread_word *word,
                      size_t n, struct kind_spread *ret);

/*
 * How many times as likely these places and lanes are if memory is at fault as they are if a CPU
 * is. bytes: what that CPU has read and written in each zone. n: words, each of an event of its
 * own. 1: nothing is known, or there are fewer than two.
 */
double kind_spread_for_memory(const struct kind_spread *spread,
                              const double bytes[KIND_SPREAD_ZONES], size_t n);
