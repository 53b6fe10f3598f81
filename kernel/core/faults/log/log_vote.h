// SPDX-License-Identifier: MIT
/*
 * The true content of a word or a block of the log, from copies, parity and CRCs.
 *
 * The CRCs of both copies are compared with the words of both, for a CRC may be what is damaged:
 *
 *     a CRC is of      by which evidence       the truth
 *     A's words        LOG_BY_CRC              A's words
 *     B's words        LOG_BY_CRC              B's words
 *     each of its own  LOG_BY_CRC              the words, if both are alike
 *     each of its own, and they differ, or none of any:
 *                      LOG_BY_PARITY           the parity less the group's other blocks, if these
 *                                              are known, and its CRC or one of the two agrees
 *                      LOG_BY_GUESS            bit by bit the majority of A, B and the parity;
 *                                              without a parity what both have; of a record
 *                                              the copy whose own check holds
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log/log_store.h"

/* A copy of a block as it was read. */
struct log_view {
    uint64_t *words;
    uint32_t crc; /* the one it has */
    uint32_t sum; /* its words' register */
    bool has_head;
};

/* How far a vote goes. */
enum log_evidence {
    LOG_BY_CRC,    /* a copy whose CRC holds */
    LOG_BY_PARITY, /* or what the parity says, where that is proven */
    LOG_BY_GUESS,  /* or what is likely */
};

enum log_verdict {
    LOG_TRUE,
    LOG_UNKNOWN, /* by this evidence */
    LOG_GUESSED,
};

/* Reads a copy of a block into words. */
struct log_view log_view_read(const struct log_store *store, enum log_part copy, uint32_t block,
                              uint64_t *words);

/*
 * What the block holds, written to truth: LOG_BLOCK_WORDS words. has_parity: no other block of the
 * group is known by guess alone.
 */
enum log_verdict log_vote_block(const struct log_store *store, uint32_t block,
                                const struct log_view *a, const struct log_view *b,
                                enum log_evidence evidence, bool has_parity, uint64_t *truth);

/* A word in which the two copies differ. */
uint64_t log_vote_word(const struct log_store *store, uint32_t block, uint32_t word);

/* A word; cheap while the copies agree. */
static inline uint64_t log_word(const struct log_store *store, uint32_t block, uint32_t word)
{
    uint64_t a = log_store_raw(store, 0, block, word);

    if (!store->copy[1] || log_store_raw(store, 1, block, word) == a)
        return a;
    return log_vote_word(store, block, word);
}
