// SPDX-License-Identifier: MIT
/*
 * The memory modules that SMBIOS lists, slot by slot: types 16, 17 and 20 (DMTF DSP0134 3.7, 7.17,
 * 7.18 and 7.21).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/smbios.h"
#include "lib/status.h"
#include "lib/warn.h"

#define SMBIOS_SLOTS_MAX  256u
#define SMBIOS_ARRAYS_MAX 16u
#define SMBIOS_NAME_SIZE  32u /* with the closing NUL; longer names are cut */

/* Table 75. */
enum smbios_ecc {
    SMBIOS_ECC_UNKNOWN, /* not reported, or as "other" or "unknown" */
    SMBIOS_ECC_NONE,
    SMBIOS_ECC_PARITY,
    SMBIOS_ECC_SINGLE_BIT,
    SMBIOS_ECC_MULTI_BIT,
    SMBIOS_ECC_CRC,
};

/* A group of slots that together are system memory. */
struct smbios_array {
    uint16_t handle;
    uint16_t n_devices;      /* slots it has */
    uint64_t capacity_bytes; /* of all slots at most; 0: unknown */
    enum smbios_ecc ecc;
};

/* Types of memory (SMBIOS 3.7, table 78). */
enum {
    SMBIOS_DDR = 0x12,
    SMBIOS_DDR2 = 0x13,
    SMBIOS_DDR3 = 0x18,
    SMBIOS_DDR4 = 0x1a,
    SMBIOS_LPDDR = 0x1b, /* then LPDDR2, LPDDR3 and LPDDR4 */
    SMBIOS_LPDDR4 = 0x1e,
    SMBIOS_DDR5 = 0x22,
    SMBIOS_LPDDR5 = 0x23,
};

static inline bool smbios_is_lpddr(uint8_t type)
{
    return (type >= SMBIOS_LPDDR && type <= SMBIOS_LPDDR4) || type == SMBIOS_LPDDR5;
}

struct smbios_slot {
    char locator[SMBIOS_NAME_SIZE]; /* as printed on the board, such as "DIMM_A1"; or "" */
    char bank[SMBIOS_NAME_SIZE];    /* such as "P0 CHANNEL A"; or "" */
    char maker[SMBIOS_NAME_SIZE], part[SMBIOS_NAME_SIZE], serial[SMBIOS_NAME_SIZE]; /* or "" */
    uint16_t handle;
    uint8_t memory_type; /* smbios_memory_type_name */
    bool is_populated;
    bool has_range;           /* some range of addresses is mapped to it (type 20) */
    bool is_soldered;         /* chips on the board: no module that could be taken out */
    bool is_ordinary;         /* DRAM of its own: not persistent, no HBM, not on a CXL card */
    uint64_t size_bytes;      /* 0: empty or unknown */
    uint16_t total_bits;      /* of its bus, with those for error correction; 0: unknown */
    uint16_t data_bits;       /* without them; 0: unknown */
    uint32_t rated_mt_s;      /* millions of transfers a second; 0: unknown */
    uint32_t configured_mt_s; /* what it runs at; 0: unknown */
    uint32_t configured_mv;   /* the same */
};

/* Slots of system memory and what they add up to. ROM, flash and video memory do not count. */
struct smbios_memory {
    uint64_t installed_bytes; /* of the slots whose size is known */
    uint32_t slots;
    uint32_t populated;
    uint32_t unknown;   /* populated slots of unknown size */
    bool speeds_in_mhz; /* before 3.1: some boards count clocks, others transfers */
    uint32_t n_slot;    /* of the first SMBIOS_SLOTS_MAX, in firmware's order */
    uint32_t n_array;
    struct smbios_slot slot[SMBIOS_SLOTS_MAX];
    struct smbios_array array[SMBIOS_ARRAYS_MAX];
};

/*
 * STATUS_NOT_FOUND: no slot is listed, and ret_memory has none. A list that ends early or holds
 * structures too short for their type gives one warning, and these are ignored; what comes after
 * one that is too long for its type is not read. A name that is missing or not terminated is "",
 * with one warning: the slot still counts.
 */
enum status smbios_memory_read(const struct smbios *smbios, const struct warnings *warnings,
                               struct smbios_memory *ret_memory);

/* "DDR5"; "": none of the kinds that x86-64 machines have (table 78). */
const char *smbios_memory_type_name(uint8_t type);
