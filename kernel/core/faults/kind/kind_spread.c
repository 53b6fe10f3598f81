// SPDX-License-Identifier: MIT
#include "kind/kind_spread.h"

#include "kind/kind_lanes.h"
#include "lib/minmax.h"
#include "lib/splitmix.h"

#define SAMPLES    64 /* addresses of a zone by which it is known how large places are */
#define TELLING    12 /* words: of more that agree the first ones say enough */
#define MOST       1e6
#define LEAST_PART 0.01

/* Of a place the number of each level, from the lowest bits up. */
#define LEVEL_BITS 8

#define ANYWHERE KIND_LEVELS

/*
 * What share of memory's faults is believed to keep to one place of a level, and to one byte lane
 * or not. Faults of a chip or a data line keep to both; those of clocks, address lines and power to
 * a place; those of settings that are too fast, or of several bad modules, to no place, but perhaps
 * to the lane that is the worst one in each channel.
 */
static const struct {
    double share;
    unsigned level;
    bool one_lane;
} of_memory[] = {
    { 0.45, KIND_LEVEL_RANK, true },    { 0.10, KIND_LEVEL_RANK, false },
    { 0.05, KIND_LEVEL_MODULE, true },  { 0.08, KIND_LEVEL_MODULE, false },
    { 0.05, KIND_LEVEL_CHANNEL, true }, { 0.07, KIND_LEVEL_CHANNEL, false },
    { 0.05, ANYWHERE, true },           { 0.15, ANYWHERE, false },
};

#define CPU_ONE_LANE 0.5 /* the share of a CPU's that keeps to a lane: a guess, nobody knows */

/* Returns how many levels are known of an address. */
static unsigned place_of(const struct kind_board *board, uint64_t addr, uint32_t *ret)
{
    struct dram_place p;

    *ret = 0;
    if (!board->map) {
        *ret = board->channels ? kind_channel_of(board->channels, addr) : 0;
        return board->channels ? KIND_LEVEL_CHANNEL + 1 : 0;
    }
    if (!dram_map_locate_below(board->map, board->map_below, addr, &p))
        return 0;
    *ret = p.channel | (uint32_t)p.dimm << LEVEL_BITS | (uint32_t)p.rank << 2 * LEVEL_BITS;
    if (p.dimm == DRAM_DIMM_UNKNOWN)
        return KIND_LEVEL_CHANNEL + 1;
    return board->map->channel[p.channel].dimm[p.dimm].n_banks ? KIND_LEVELS
                                                               : KIND_LEVEL_MODULE + 1;
}

static uint32_t place_at(uint32_t place, unsigned level)
{
    return place & ((UINT32_C(1) << LEVEL_BITS * (level + 1)) - 1);
}

static void add_place(struct kind_spread_places *p, uint32_t place)
{
    unsigned i = 0;

    while (i < p->n && p->place[i] != place)
        i++;
    if (i < KIND_PLACES_MAX)
        p->place[i] = place;
    p->n += i == p->n && i < KIND_PLACES_MAX;
}

/* Looks for the places in a zone, which begins at base, and for the part of it that is in `of`. */
static void sample(const struct kind_board *board, uint64_t base, uint64_t bytes, uint32_t of,
                   struct kind_spread *spread, size_t zone)
{
    unsigned n = 0, same[KIND_LEVELS] = { 0 };
    uint64_t random = base;
    uint32_t place;

    for (unsigned i = 0; i < SAMPLES; i++) {
        if (place_of(board, base + splitmix_next(&random) % bytes, &place) < spread->n_levels)
            continue;
        for (unsigned level = 0; level < spread->n_levels; level++) {
            add_place(&spread->places[level], place_at(place, level));
            same[level] += place_at(place, level) == place_at(of, level);
        }
        n++;
    }
    for (unsigned level = 0; n && level < spread->n_levels; level++)
        spread->part[level][zone] = (double)same[level] / n;
}

/* The byte lane that all wrong bits are of; `lanes`: they are of several. */
static unsigned lane_of(uint64_t bits, unsigned lanes)
{
    uint64_t pins = kind_lane_fold(bits, 8 * lanes);
    unsigned lane = 0;

    while (lane < lanes && pins & ~(UINT64_C(0xff) << 8 * lane))
        lane++;
    return lane;
}

void kind_spread_make(const struct kind_board *board, uint64_t zone_bytes,
                      const bool is_tested[KIND_SPREAD_ZONES], const struct kind_spread_word *word,
                      size_t n, struct kind_spread *ret)
{
    uint32_t first = 0, place;

    *ret = (struct kind_spread){ .n_levels = n ? KIND_LEVELS : 0,
                                 .lanes = board->bus_bits == 32 ? 4 : 8 };
    ret->is_one_lane = n && lane_of(word[0].bits, ret->lanes) < ret->lanes;
    for (size_t i = 0; i < n; i++) {
        ret->n_levels = (unsigned)min_u64(ret->n_levels, place_of(board, word[i].addr, &place));
        first = i ? first : place;
        ret->is_one_lane &= lane_of(word[i].bits, ret->lanes) == lane_of(word[0].bits, ret->lanes);
        for (unsigned level = 0; level < KIND_LEVELS; level++)
            add_place(&ret->places[level], place_at(place, level));
    }
    for (unsigned level = 0; level < ret->n_levels; level++)
        ret->n[level] = ret->places[level].n;
    for (size_t z = 0; z < KIND_SPREAD_ZONES; z++) {
        if (ret->n_levels && zone_bytes && is_tested[z])
            sample(board, z * zone_bytes, zone_bytes, first, ret, z);
    }
    for (unsigned level = 0; level < ret->n_levels; level++)
        ret->of[level] = ret->places[level].n;
}

/* The part of what a CPU has read and written that is in the first word's place. */
static double part_of(const struct kind_spread *s, const double bytes[KIND_SPREAD_ZONES],
                      unsigned level)
{
    double own = 0, all = 0;

    for (size_t z = 0; z < KIND_SPREAD_ZONES; z++) {
        own += bytes[z] * s->part[level][z];
        all += bytes[z];
    }
    return all > 0 && own / all > LEAST_PART ? own / all : LEAST_PART;
}

/*
 * How likely it is that n words are all in one place, which is that part of memory, and with
 * one_lane in one lane: relative to words at random places and lanes. 0: they are not in one lane.
 */
static double likely(const struct kind_spread *s, size_t n, double part, bool one_lane)
{
    double p = 1;

    if (one_lane && !s->is_one_lane)
        return 0;
    for (size_t i = 1; i < n && i < TELLING; i++)
        p *= (one_lane ? s->lanes : 1) / part;
    return p;
}

double kind_spread_for_memory(const struct kind_spread *spread,
                              const double bytes[KIND_SPREAD_ZONES], size_t n)
{
    double memory = 0, cpu;

    if (!spread->n_levels || n < 2 || spread->of[spread->n_levels - 1] < 2)
        return 1;
    for (size_t i = 0; i < sizeof(of_memory) / sizeof(of_memory[0]); i++) {
        unsigned level = of_memory[i].level;
        double part = 1;

        if (level != ANYWHERE) {
            level = (unsigned)min_u64(level, spread->n_levels - 1);
            if (spread->n[level] > 1)
                continue;
            part = part_of(spread, bytes, level);
        }
        memory += of_memory[i].share * likely(spread, n, part, of_memory[i].one_lane);
    }
    cpu = (1 - CPU_ONE_LANE) * likely(spread, n, 1, false) +
          CPU_ONE_LANE * likely(spread, n, 1, true);
    return memory / cpu < MOST ? memory / cpu : MOST;
}
