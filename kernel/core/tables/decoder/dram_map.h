// SPDX-License-Identifier: MIT
/*
 * Where in DRAM a physical address is, by a memory controller's address map: functions over GF(2)
 * with zones and holes. A decoder (decoder/decoder.h) fills a map from the controller's registers.
 *
 * An address takes three steps:
 * 1. physical -> DRAM address: a part is moved (the hole below 4 GiB).
 * 2. DRAM address -> channel and address in the channel: the zone that it is in has functions, each
 *    the XOR of some address bits; their values are the index into the zone's channels. Some bits
 *    are removed, and an offset is subtracted.
 * 3. address in the channel -> module, rank, bank, row, column: of a channel's chip selects the
 *    first that matches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DRAM_CHANNELS_MAX 24
#define DRAM_DIMMS_MAX    2 /* of a channel */
#define DRAM_ZONES_MAX    16
#define DRAM_SELECTS_MAX  8              /* of a channel */
#define DRAM_ELSEWHERE    UINT8_MAX      /* no channel: a later zone has these addresses */
#define DRAM_DIMM_UNKNOWN DRAM_DIMMS_MAX /* of a place: it is not known which module it is in */

/* Physical addresses from start up to end (exclusive) are these DRAM addresses less `subtract`. */
struct dram_move {
    uint64_t start, end, subtract;
};

/* DRAM addresses from start up to end (exclusive). */
struct dram_zone {
    uint64_t start, end;
    uint8_t n_functions;
    uint64_t function[4];
    uint8_t channel[24]; /* of each value of the functions; the first function is bit 0 */
    uint64_t removed; /* bits that the address in the channel does without; those above move down */
    uint64_t subtract; /* after that; modulo 2^64, so that it may be negative */
    /* Bytes of a hole below the zone that its functions count and addresses in the channel do not:
     * a move of the addresses would leave it out of both. */
    uint64_t gap;
    /*
     * 0, or the lowest bit of a number that is divided by 3 after that. In the DRAM address, the
     * rest of its division is a further part of the value, above the functions.
     */
    uint8_t thirds;
    uint64_t removed_last; /* after the division */
};

/*
 * A chip select, a rank of a module, has the addresses of its channel from start up to end
 * (exclusive) that have `value` in the bits `mask`.
 */
struct dram_select {
    uint64_t start, end, mask, value;
    uint8_t number;    /* module << 2 | rank */
    uint64_t flip[2];  /* their parities flip bit 0 of the rank, and the module's number */
    uint32_t row_flip; /* bits of the row that are inverted before all functions of its module */
};

/* How a module's banks, rows and columns are made of an address in the channel. */
struct dram_geometry {
    uint64_t subchannel;                /* a function; 0: there is one only */
    uint8_t n_banks, n_rows, n_columns; /* bits; n_banks 0: none of these is known, nor the rank */
    uint64_t bank[8]; /* functions; the bank group is in the low bits, a stacked die in the high */
    uint8_t row[20], column[16]; /* the address bit of each bit */
};

struct dram_channel {
    unsigned n_selects;
    struct dram_select select[DRAM_SELECTS_MAX];
    struct dram_geometry dimm[DRAM_DIMMS_MAX + 1]; /* the last: all together, DRAM_DIMM_UNKNOWN */
};

struct dram_map {
    unsigned n_moves, n_zones, n_channels;
    struct dram_move move[2]; /* an address in none is a DRAM address as it is */
    struct dram_zone zone[DRAM_ZONES_MAX];
    struct dram_channel channel[DRAM_CHANNELS_MAX];
};

/* Bank, row and column are 0 where the geometry does not say them. */
struct dram_place {
    uint8_t channel, dimm, rank, subchannel, bank;
    uint32_t row, column;
};

/* The DRAM address of a physical one. */
uint64_t dram_map_move(const struct dram_map *map, uint64_t phys);

/* False: no zone or no chip select has the address. */
bool dram_map_locate(const struct dram_map *map, uint64_t phys, struct dram_place *ret);

/* The same, but also false if the DRAM address is not below a limit. */
static inline bool dram_map_locate_below(const struct dram_map *map, uint64_t below, uint64_t phys,
                                         struct dram_place *ret)
{
    return dram_map_move(map, phys) < below && dram_map_locate(map, phys, ret);
}

/* The address at a place. False: there is none, or the place's module has no geometry. */
bool dram_map_address(const struct dram_map *map, const struct dram_place *place,
                      uint64_t *ret_phys);

/* Bytes of a hole below 4 GiB that all addresses above it do without; 0: none. */
uint64_t dram_map_hole(const struct dram_map *map);

/* Whether some zones are interleaved differently from others. */
bool dram_map_zones_differ(const struct dram_map *map);

/* A zone's addresses, less this, and without the bits that are removed, are addresses in the
 * channel.
 */
uint64_t dram_zone_base(const struct dram_zone *zone);

/* Whether some of a zone's addresses are in a channel. */
bool dram_zone_has(const struct dram_zone *zone, unsigned channel);

#define DRAM_FUNCTIONS_MAX 16

/*
 * Whether addresses of each zone, its ends among them, have a place; in a module with a geometry
 * one that is no other address's.
 */
bool dram_map_is_one_to_one(const struct dram_map *map);

/*
 * The functions of a zone that say which channel, module, rank, bank and subchannel a line is in,
 * in this order: XORs of bits of a DRAM address less the zone's gap, none of them a sum of those
 * before. Outputs that are no XOR throughout the zone are left out, as where modules differ in
 * size.
 */
struct dram_functions {
    unsigned n;
    unsigned n_module;     /* of these, the first, that say channel and module */
    bool module_is_linear; /* none of these was left out */
    bool all_linear;       /* none at all was */
    uint64_t bits;         /* in which the zone's addresses differ: a function has no others */
    uint64_t function[DRAM_FUNCTIONS_MAX];
};

void dram_map_functions(const struct dram_map *map, const struct dram_zone *zone,
                        struct dram_functions *ret);
