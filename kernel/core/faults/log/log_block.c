// SPDX-License-Identifier: MIT
#include "log/log_block.h"

#include "lib/string.h"

void log_block_init(struct log_block *block, enum log_part part, uint32_t number)
{
    memset(block, 0, sizeof(*block));
    block->magic = LOG_BLOCK_MAGIC;
    block->part = part;
    block->number = number;
    block->crc = log_block_seal(part, number, 0);
}

bool log_block_has_head(const struct log_block *block, enum log_part part, uint32_t number)
{
    uint32_t set = 0;

    for (size_t i = 0; i < sizeof(block->zero) / sizeof(block->zero[0]); i++)
        set |= block->zero[i];
    return block->magic == LOG_BLOCK_MAGIC && block->part == part && block->number == number &&
           !set;
}

uint32_t log_block_crc(const struct log_block *block, crc32c_function crc)
{
    return crc(0, (const void *)block->word, sizeof(block->word));
}

bool log_block_is_sound(const struct log_block *block, enum log_part part, uint32_t number,
                        crc32c_function crc)
{
    return log_block_has_head(block, part, number) &&
           block->crc == log_block_seal(part, number, log_block_crc(block, crc));
}

uint32_t log_block_crc_delta(uint32_t word, uint64_t bits, crc32c_function crc)
{
    return crc32c_shift(crc, crc(0, &bits, sizeof(bits)), LOG_BLOCK_WORDS - 1 - word);
}
