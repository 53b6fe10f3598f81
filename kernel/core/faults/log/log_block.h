// SPDX-License-Identifier: MIT
/*
 * The 4 KiB blocks that the fault log is made of.
 *
 * What the log holds is kept in blocks of a first copy, again in blocks of a second one, and in the
 * parity of each group of blocks. Each block has a head that says which one it is, and a CRC-32C of
 * its words. The CRC is always up to date: it is linear, so a CPU that changes a word XORs the
 * difference into it, as into the parity.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/crc32c_fast.h"

#define LOG_BLOCK_BYTES 4096
#define LOG_BLOCK_WORDS 504
#define LOG_BLOCK_MAGIC UINT64_C(0x676f6c6d61726b6f) /* "okramlog" in memory */

enum log_part { LOG_COPY_A, LOG_COPY_B, LOG_PARITY, LOG_PARTS };

struct log_block {
    uint64_t magic;
    uint32_t part; /* enum log_part */
    uint32_t number;
    uint32_t zero[11];
    _Atomic uint32_t crc; /* log_block_seal of what the words' register is */
    _Atomic uint64_t word[LOG_BLOCK_WORDS];
};
_Static_assert(sizeof(struct log_block) == LOG_BLOCK_BYTES, "a block is a page");
_Static_assert(LOG_BLOCK_WORDS <= CRC32C_WORDS_MAX, "crc32c_shift reaches from end to end");

/* An empty block. */
void log_block_init(struct log_block *block, enum log_part part, uint32_t number);

/* The CRC that a block has when the register of its words, begun with 0, is this; and back. */
static inline uint32_t log_block_seal(enum log_part part, uint32_t number, uint32_t crc)
{
    return crc ^ ~(number << 2 | (uint32_t)part);
}

/* Whether the head, apart from the CRC, is that of this block. */
bool log_block_has_head(const struct log_block *block, enum log_part part, uint32_t number);

/* The register of the block's words as they are now. */
uint32_t log_block_crc(const struct log_block *block, crc32c_function crc);

/* Whether head and CRC hold. While another CPU changes the block they may not. */
bool log_block_is_sound(const struct log_block *block, enum log_part part, uint32_t number,
                        crc32c_function crc);

/* What changes in the register when these bits of a word change. */
uint32_t log_block_crc_delta(uint32_t word, uint64_t bits, crc32c_function crc);
