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
 * AMD's controllers count addresses above 4 GiB from the size of the hole below it on (M. Heckel,
 * F. Adamsky, "Reverse-Engineering Bank Addressing Functions on AMD CPUs", DRAMSec 2023; P. Jattke
 * et al., "ZenHammer", USENIX Security 2024). Bits of a map are bits of such linear addresses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"

#define ROW_FUNCTIONS_MAX 16
#define ROW_HOLE_END      (UINT64_C(1) << 32)

struct row_map {
    uint64_t hole; /* bytes below 4 GiB that addresses above do without; 0: none */
    uint64_t bits; /* of an address that the map is about; the others were the same everywhere */
    unsigned n_functions;
    uint64_t function[ROW_FUNCTIONS_MAX];
    uint64_t row, column; /* bits of the row's number, and of the place in a row of a bank */
    uint64_t step[64];    /* for a bit of both: it, and what else is flipped to stay in the bank */
};

/* What a controller counts for a physical address, and back. */
uint64_t row_map_linear(uint64_t hole, uint64_t phys);
uint64_t row_map_phys(uint64_t hole, uint64_t linear);

uint32_t row_map_bank(const struct row_map *map, uint64_t phys);
uint64_t row_map_row(const struct row_map *map, uint64_t phys);

/*
 * The address in the same bank and at the same place of a row that is `distance` rows further. The
 * order of rows is that of their numbers: how a chip orders them inside, nobody outside can see.
 * False: there is no such row.
 */
bool row_map_neighbour(const struct row_map *map, uint64_t phys, int64_t distance,
                       uint64_t *ret_phys);

/* The n-th line of the row of a bank that an address is in; beyond the last, the first again. */
uint64_t row_map_line(const struct row_map *map, uint64_t phys, uint64_t n);

/* Bytes from one row of all banks to the next: a power of two; all addresses in between differ in
 * lower bits than the row's. */
uint64_t row_map_row_bytes(const struct row_map *map);
