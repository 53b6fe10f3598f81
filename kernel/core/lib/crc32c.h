// SPDX-License-Identifier: MIT
/*
 * CRC-32C (Castagnoli; RFC 3720, 12.1): any error of up to 32 neighbouring bits is seen.
 *
 * For every CPU, the same in 32-bit and in 64-bit code: a nibble at a time, and without a table in
 * memory, which could be faulty; its 16 entries are made on the stack. lib/crc32c_fast.h has it by
 * instruction, and for long runs of bytes by a larger table.
 */
#pragma once

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
