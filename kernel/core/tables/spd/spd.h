// SPDX-License-Identifier: MIT
/*
 * What a memory module says of itself: its SPD (serial presence detect), of DDR3 (JEDEC 21-C, annex
 * K), DDR4 (annex L) and DDR5 (JESD400-5), with the profiles above JEDEC's speeds: XMP 1.x in
 * DDR3, 2.0 in DDR4, 3.0 in DDR5, and EXPO. Of the profiles there is no public specification; where
 * they are is as programs read it that show and edit them, and as modules' own CRCs confirm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define SPD_BYTES_MAX    1024u
#define SPD_PART_SIZE    31u /* with the closing NUL */
#define SPD_PROFILES_MAX 7u  /* five of XMP 3.0 and two of EXPO; DDR3 and DDR4 have two */

/* Byte 2, of those that are read. */
enum spd_type { SPD_DDR3 = 0x0b, SPD_DDR4 = 0x0c, SPD_DDR5 = 0x12 };

/* What is wrong: bits of spd.problems. The value that it is about is unknown, a CRC excepted. */
enum spd_problem {
    SPD_SHORT,       /* bytes could not be read; nothing is said of what is in them */
    SPD_BASE_CRC,    /* of type, size and speed */
    SPD_MODULE_CRC,  /* DDR4: of bytes 128 to 253 */
    SPD_PROFILE_CRC, /* of XMP 3.0 or EXPO */
    SPD_SIZE,
    SPD_ADDRESSES, /* rows, columns and banks do not make the chips' size */
    SPD_DEVICE_WIDTH,
    SPD_BUS_WIDTH,
    SPD_RANKS,
    SPD_SPEED,
    SPD_PROFILE_SPEED, /* of one that is switched on */
    SPD_DATE,
    SPD_SERIAL, /* all zeros or all ones: the maker has left it out */
    SPD_PROBLEMS
};

/* In clocks of the speed that they are of, as "CL-tRCD-tRP-tRAS". All 0: unknown. */
struct spd_timings {
    uint16_t cl, rcd, rp, ras;
};

struct spd_profile {
    bool is_expo; /* else XMP */
    uint8_t number;
    uint32_t mt_s;
    struct spd_timings timings;
};

struct spd {
    uint8_t type;        /* spd_type_name */
    uint8_t form;        /* spd_form_name */
    uint64_t size_bytes; /* without the chips for ECC; 0: unknown, here and below */
    uint8_t ranks;       /* package ranks of each channel */
    uint8_t device_bits; /* 4, 8, 16 or 32: of even ranks, where odd ones differ */
    bool ranks_differ;
    uint8_t row_bits, column_bits, bank_bits; /* of addresses in a chip; banks of all groups */
    uint8_t channels;                         /* subchannels; 1 before DDR5 */
    uint16_t data_bits, ecc_bits; /* of the module's bus, all channels; ecc_bits 0: none */
    uint32_t tck_ps;              /* shortest cycle that JEDEC's part of the SPD promises */
    uint32_t mt_s; /* the same as millions of transfers a second, rounded as names are */
    struct spd_timings timings; /* at that speed */
    uint16_t maker, dram_maker; /* JEP-106: continuations << 8 | code without parity */
    char part[SPD_PART_SIZE];   /* printable ASCII, or "" */
    uint32_t serial;            /* its first byte on top; has_serial */
    bool has_serial;
    uint16_t year;   /* 2000 to 2099 */
    uint8_t week;    /* 1 to 53 */
    bool has_sensor; /* DDR3, DDR4: of temperature, in a chip of its own */
    struct spd_profile profile[SPD_PROFILES_MAX];
    uint8_t n_profiles;
    uint32_t problems;
};

/*
 * n: of the bytes from the first on that could be read. Wrong values are in `problems`, and all
 * others are still there. STATUS_NOT_FOUND: the memory is blank. STATUS_UNSUPPORTED: a type that is
 * not read; ret_spd has that alone, in an exception to the rule that outputs are written on success
 * only. STATUS_INVALID: less than three bytes.
 */
enum status spd_read(const uint8_t *bytes, size_t n, struct spd *ret_spd);

/* How many bytes a module of that type has: SPD_BYTES_MAX at most; 0: it is not read. */
size_t spd_bytes(uint8_t type);

/* "DDR4"; "": unknown. Other types than those of enum spd_type have names, too. */
const char *spd_type_name(uint8_t type);

/* "UDIMM", "SO-DIMM"; "": unknown. */
const char *spd_form_name(const struct spd *spd);

/* The fastest of XMP and EXPO; 0: there is none. */
uint32_t spd_fastest_profile(const struct spd *spd);

/* What is wrong, for a sentence after "SPD: ": "its CRC is wrong". */
const char *spd_problem_text(enum spd_problem problem);

/*
 * Who has which code of JEDEC's list of makers (JEP106): those of modules and of DRAM that are seen
 * most (makers.c). Each code was compared in two programs that have the list: decode-dimms and
 * memtest86+. maker: as in struct spd. "": another one, or 0.
 */
const char *spd_maker_name(uint16_t maker);
