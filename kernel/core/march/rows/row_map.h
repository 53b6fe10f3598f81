// SPDX-License-Identifier: MIT
/*
 * Which bank and which row of DRAM a physical address is in, as far as timing has shown it
 * (rows/row_search.h).
 *
 * A map is linear over GF(2): each bit of the bank's number is the XOR of some address bits, a
 * function; so it is on all machines of which a map was published (P. Pessl et al., "DRAMA",
 * USENIX Security 2016). The number of the bank is one for channel, rank, bank group and bank
 * together: timing does not tell these. The row's number is made of address bits.
 *
 * Where a memory controller's registers are known and timing agrees with them, rows and neighbours
 * are those of its address map (decoder/dram_map.h), which also has the order of a row's bits, rows
 * that are inverted on one side of a module, and where rows end.
 *
 * AMD's controllers count addresses above 4 GiB from the size of the hole below it on (M. Heckel,
 * F. Adamsky, "Reverse-Engineering Bank Addressing Functions on AMD CPUs", DRAMSec 2023; P. Jattke
 * et al., "ZenHammer", USENIX Security 2024). Bits of a map are bits of such linear addresses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decoder/dram_map.h"
#include "lib/span.h"

#define ROW_FUNCTIONS_MAX 16
#define ROW_HOLE_END      (UINT64_C(1) << 32)

struct row_map {
    uint64_t hole; /* bytes below 4 GiB that addresses above do without; 0: none */
    /* A part with an interleaving of its own is timed by itself: DRAM addresses by the registers'
     * map. Size 0: all memory. The bits are then those of an address less `base`. */
    struct span part;
    uint64_t base;
    uint64_t bits; /* of an address that the map is about; the others were the same everywhere */
    unsigned n_functions;
    uint64_t function[ROW_FUNCTIONS_MAX];
    uint64_t row, column; /* bits of the row's number, and of the place in a row of a bank */
    uint64_t step[64];    /* for a bit of both: it, and what else is flipped to stay in the bank */
    /* Gives the rows of modules whose banks it knows, of the part's DRAM addresses below `below`;
     * or NULL. */
    const struct dram_map *registers;
    uint64_t below;
};

/* What a controller counts for a physical address, and back. */
uint64_t row_map_linear(uint64_t hole, uint64_t phys);
uint64_t row_map_phys(uint64_t hole, uint64_t linear);

/* As timing has shown them. */
uint32_t row_map_bank(const struct row_map *map, uint64_t phys);
uint64_t row_map_row(const struct row_map *map, uint64_t phys);

/* Whether the registers have the row of an address. */
bool row_map_is_by_registers(const struct row_map *map, uint64_t phys);

/*
 * The address in the same bank and at the same place of a row that is `distance` rows further: by
 * the registers, or else by timing. The order of rows is that of their numbers: how a chip orders
 * them inside is not visible from outside. False: there is no such row.
 */
bool row_map_neighbour(const struct row_map *map, uint64_t phys, int64_t distance,
                       uint64_t *ret_phys);

/* How many lines the row of a bank has that an address is in; and the n-th of them, as above. */
uint64_t row_map_lines(const struct row_map *map, uint64_t phys);
uint64_t row_map_line(const struct row_map *map, uint64_t phys, uint64_t n);

/* About how many bytes the same row of all banks has: the distance from an address to the same
 * place in the next row. 0: there is no other row. */
uint64_t row_map_row_bytes(const struct row_map *map, uint64_t phys);
