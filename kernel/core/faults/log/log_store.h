// SPDX-License-Identifier: MIT
/*
 * The words of the fault log, kept so that damaged memory loses nothing: twice,
 * and once more as parity of groups of blocks (log/log_block.h).
 *
 * All CPUs set bits and write words at the same time, lock-free. What has been set or written stays
 * as it is for ever, so every change is a difference from 0, and each change is XORed into
 * parity and CRCs by the one CPU that made it. A bit about which copies and parity disagree is
 * not touched: it becomes pending (log/pending_bits.h) until log/log_scrub.h has found out which
 * copy is right.
 *
 * A plain store has only the first copy, without CRC; one without parity is a mirror. For these the
 * rest is the same, but less can be repaired.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "log/log_block.h"
#include "log/pending_bits.h"

/* A block and those that share its parity; neighbours in memory do not. */
#define LOG_GROUP_BLOCKS 8

#define LOG_WORD_BITS  64
#define LOG_BLOCK_BITS ((uint64_t)LOG_BLOCK_WORDS * LOG_WORD_BITS)

struct log_store {
    struct log_block *copy[2]; /* [1] NULL: plain */
    struct log_block *parity;  /* a block a group; NULL: none */
    uint32_t n_blocks, n_groups;
    uint32_t first_record; /* from this block on, records; before, bits */
    uint32_t next_group;   /* to be scrubbed */
    crc32c_function crc;
    _Atomic uint64_t started, finished; /* changes: equal when none is under way */
    struct pending_bits pending;
    uint64_t buffer[LOG_PARTS][LOG_BLOCK_WORDS]; /* log/log_scrub.c's */
};

uint32_t log_store_groups(uint32_t n_blocks);

/*
 * All words 0. copy_b and parity may be NULL. The copies hold n_blocks blocks each, parity
 * log_store_groups(n_blocks); 8-byte aligned, best whole pages.
 */
void log_store_init(struct log_store *store, uint32_t n_blocks, uint32_t first_record, void *copy_a,
                    void *copy_b, void *parity);

/* Sets a bit, counted over the words of all blocks. True: this call set it, no other. */
bool log_store_set(struct log_store *store, uint64_t bit);

/*
 * The same for a pending bit that is not set. Boot CPU only, while no other CPU changes
 * anything.
 */
void log_store_force(struct log_store *store, uint64_t bit);

/* Around changes of one's own, such as taking a place and then writing to it. */
void log_store_begin(struct log_store *store);
void log_store_end(struct log_store *store);

/*
 * Writes words, the first of them last, where all are 0, or the first of them in copy A is the
 * writer's own mark. Between begin and end.
 */
void log_store_write(struct log_store *store, uint32_t block, uint32_t word, const uint64_t *words,
                     uint32_t n);

/*
 * A word as the parity has it, when copy A of the others in the group is right: 0 without parity.
 * While another CPU changes the group it may be wrong.
 */
uint64_t log_store_parity(const struct log_store *store, uint32_t block, uint32_t word);

/* A word as it is in a copy. */
static inline uint64_t log_store_raw(const struct log_store *store, unsigned copy, uint32_t block,
                                     uint32_t word)
{
    return atomic_load_explicit(&store->copy[copy][block].word[word], memory_order_relaxed);
}
