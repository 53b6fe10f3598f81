// SPDX-License-Identifier: MIT
/*
 * CRC-32C (Castagnoli; RFC 3720, 12.1): any error of up to 32 neighbouring bits is seen.
 *
 * For every CPU, the same in 32-bit and in 64-bit code: a nibble at a time, and without a table in
 * memory, which could be faulty; its 16 entries are made on the stack. Below as fast as this CPU
 * can: by instruction, and for long runs of bytes by a larger table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0x1edc6f41 with its bits reversed: the register's highest bit is the power 0 of x. */
#define CRC32C_POLYNOMIAL 0x82f63b78u

/* The standard's checksum. */
uint32_t crc32c(const void *bytes, size_t n);

/*
 * Carries a register over n bytes more. Begun with all ones and complemented at the end that is the
 * checksum. Begun with 0 it is linear: the register of a XOR b, of the same length, is the register
 * of a XOR that of b.
 */
uint32_t crc32c_by_nibbles(uint32_t crc, const void *bytes, size_t n);

/* Carries a register over n bytes more, as crc32c_by_nibbles does. */
typedef uint32_t (*crc32c_function)(uint32_t crc, const void *bytes, size_t n);

/*
 * A byte at a time, by a table of 1 KiB that is made on the stack where it is worth it: from
 * CRC32C_TABLE_PAYS bytes on.
 */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n);

#define CRC32C_TABLE_PAYS 1024

/* By the CRC32 instruction, of CPUs with SSE4.2, in words of 32 or 64 bits. */
bool crc32c_has_instruction(void);
uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t n);

/* The fastest one that this CPU has. */
crc32c_function crc32c_best(void);

/* The standard's checksum. */
uint32_t crc32c_of(crc32c_function function, const void *bytes, size_t n);

/*
 * Which checksum of a page that is kept twice is right, where not all are the same. actual: of the
 * page and of its copy, as they are now; kept: made before, in two places. The one on which two or
 * more of these four agree; two against two: the kept ones. False: no two agree.
 */
bool crc32c_vote(const uint32_t actual[2], const uint32_t kept[2], uint32_t *ret_sum);
