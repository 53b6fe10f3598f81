// SPDX-License-Identifier: MIT
/* For the files that read one type's SPD each: the bytes, and what all types have. */
#pragma once

#include "spd/spd.h"

struct spd_image {
    const uint8_t *byte;
    size_t n; /* of those that were read */
    struct spd *spd;
};

/* Those that were not read are 0. Words are little endian (all of the annexes). */
uint8_t spd_byte(const struct spd_image *image, size_t at);
uint16_t spd_word(const struct spd_image *image, size_t at);
bool spd_holds(const struct spd_image *image, size_t at, size_t n);

void spd_note(const struct spd_image *image, enum spd_problem problem);

/* The CRC at `crc_at` is that of the n bytes at `at`; bytes that were not read are not judged. */
bool spd_crc_is_right(const struct spd_image *image, size_t at, size_t n, size_t crc_at);

/* Cycle time, CAS latency, RAS to CAS delay, row precharge and active time, in ps. */
struct spd_times {
    int64_t tck, taa, trcd, trp, tras;
};

/*
 * What they are in clocks, by the rounding that the standards define: annex L, 1.2.1, for DDR3 and
 * DDR4; JESD400-5, 6.1, for DDR5, whose CL is even (JESD79-5).
 */
struct spd_timings spd_timings(uint8_t type, const struct spd_times *times);

/* Speed and timings of JEDEC's part; an impossible speed is noted. */
void spd_set_speed(const struct spd_image *image, const struct spd_times *times);

/* Adds a profile that is switched on. */
void spd_add_profile(const struct spd_image *image, bool is_expo, unsigned number,
                     const struct spd_times *times);

/* The same fields everywhere, at places of each type's own. */
struct spd_made_at {
    uint16_t maker, date, serial, part, part_bytes, dram_maker;
};

void spd_read_made(const struct spd_image *image, const struct spd_made_at *at);

/*
 * The size, from each rank's devices. mbit: of a device of even ranks and of odd ones, all of its
 * dies together; bits: of the device. What is impossible is 0; a size that follows from nothing
 * that was noted is noted.
 */
struct spd_devices {
    uint64_t mbit[2];
    unsigned bits[2];
};

void spd_set_size(const struct spd_image *image, const struct spd_devices *devices);

/*
 * Bits of addresses in a chip. die_mbit: of one die, 0: not known, which may be three quarters of
 * what the bits address. Bits that do not agree with it are noted, and 0. After device_bits.
 */
void spd_set_addresses(const struct spd_image *image, unsigned row_bits, unsigned column_bits,
                       unsigned bank_bits, uint64_t die_mbit);

void spd_read_ddr3(const struct spd_image *image);
void spd_read_ddr4(const struct spd_image *image);
void spd_read_ddr5(const struct spd_image *image);
