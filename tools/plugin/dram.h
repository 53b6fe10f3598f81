// SPDX-License-Identifier: MIT
/*
 * Which cells of DRAM a physical address reaches: the maps of some machines, as they were
 * published.
 *
 * A map is linear: channel, subchannel, rank, bank group and bank are XORs of address bits; row and
 * column are address bits. A place and an address are two names of the same byte. The maps are of
 * memory that begins at 0; that real machines have a hole below 4 GiB is left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dram_field {
    DRAM_CHANNEL,
    DRAM_DIMM, /* none of the published machines had two on a channel: always 0 */
    DRAM_SUBCHANNEL,
    DRAM_RANK,
    DRAM_GROUP, /* of banks */
    DRAM_BANK,
    DRAM_FIELDS
};

#define PUBLISHED_FUNCTIONS_MAX 3 /* bits of a field */

struct published_map {
    const char *name;  /* as in a spec: "skylake" */
    const char *about; /* the machine */
    unsigned bits;     /* of an address */
    unsigned bus_bits; /* of data: 64, or a subchannel's 32 */
    uint64_t row, column;
    uint64_t function[DRAM_FIELDS][PUBLISHED_FUNCTIONS_MAX]; /* bit i of a field; 0: it has fewer */
};

struct published_place {
    uint32_t field[DRAM_FIELDS];
    uint32_t row;
    uint32_t column; /* in bytes: the low 6 bits are the place within a line */
};

extern const struct published_map dram_maps[];
extern const size_t dram_n_maps;

/* NULL: there is none of this name. */
const struct published_map *dram_map_find(const char *name);

struct published_place dram_place_of(const struct published_map *map, uint64_t address);

/* Fields that are too large for the map are cut to what it has. */
uint64_t dram_address_of(const struct published_map *map, const struct published_place *place);

/* How many values a field has, and rows and bytes of a row. */
uint32_t dram_field_values(const struct published_map *map, enum dram_field field);
uint32_t dram_rows(const struct published_map *map);
uint32_t dram_columns(const struct published_map *map);
