// SPDX-License-Identifier: MIT
#include "log/log_vote.h"

#include "lib/bits.h"
#include "lib/string.h"
#include "log/log_record.h"

static uint32_t words_crc(const struct log_store *store, const uint64_t *words)
{
    return store->crc(0, words, LOG_BLOCK_WORDS * sizeof(words[0]));
}

struct log_view log_view_read(const struct log_store *store, enum log_part copy, uint32_t block,
                              uint64_t *words)
{
    const struct log_block *from = &store->copy[copy][block];
    struct log_view view = { .words = words,
                             .crc = atomic_load_explicit(&from->crc, memory_order_relaxed),
                             .has_head = log_block_has_head(from, copy, block) };

    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        words[i] = atomic_load_explicit(&from->word[i], memory_order_relaxed);
    view.sum = words_crc(store, words);
    return view;
}

/* How many of the two CRCs are of words with this register. */
static int votes(uint32_t block, const struct log_view *a, const struct log_view *b, uint32_t sum)
{
    return (a->has_head && a->crc == log_block_seal(LOG_COPY_A, block, sum)) +
           (b->has_head && b->crc == log_block_seal(LOG_COPY_B, block, sum));
}

static bool is_sound(const struct log_store *store, enum log_part copy, uint32_t block)
{
    return log_block_is_sound(&store->copy[copy][block], copy, block, store->crc);
}

/* The block as the parity has it. False: another one of the group is not known. */
static bool take_parity(const struct log_store *store, uint32_t block, uint64_t *words,
                        bool *ret_proven)
{
    uint32_t group = block % store->n_groups;
    const struct log_block *parity = store->parity ? &store->parity[group] : NULL;

    if (!parity)
        return false;
    *ret_proven = log_block_is_sound(parity, LOG_PARITY, group, store->crc);
    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        words[i] = atomic_load_explicit(&parity->word[i], memory_order_relaxed);
    for (uint32_t other = group; other < store->n_blocks; other += store->n_groups) {
        unsigned copy = is_sound(store, LOG_COPY_A, other) ? LOG_COPY_A : LOG_COPY_B;

        if (other == block)
            continue;
        if (copy == LOG_COPY_B && !is_sound(store, LOG_COPY_B, other))
            return false;
        for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
            words[i] ^= log_store_raw(store, copy, other, i);
    }
    return true;
}

/* A record's own check shows which copy is right. */
static void guess_records(const struct log_view *a, const struct log_view *b, uint64_t *truth)
{
    struct fault fault;

    for (uint32_t i = 0; i + LOG_RECORD_WORDS <= LOG_BLOCK_WORDS; i += LOG_RECORD_WORDS) {
        const uint64_t *from = log_record_unpack(&a->words[i], &fault)   ? &a->words[i]
                               : log_record_unpack(&b->words[i], &fault) ? &b->words[i]
                                                                         : NULL;

        if (from)
            memcpy(&truth[i], from, LOG_RECORD_WORDS * sizeof(*from));
    }
}

/* From what the parity has, or, without it, what both copies have. */
static enum log_verdict guess(const struct log_store *store, uint32_t block,
                              const struct log_view *a, const struct log_view *b, bool has_parity,
                              uint64_t *truth)
{
    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        truth[i] = bits_majority(a->words[i], b->words[i], has_parity ? truth[i] : 0);
    if (votes(block, a, b, words_crc(store, truth)))
        return LOG_TRUE;
    if (block >= store->first_record)
        guess_records(a, b, truth);
    return LOG_GUESSED;
}

enum log_verdict log_vote_block(const struct log_store *store, uint32_t block,
                                const struct log_view *a, const struct log_view *b,
                                enum log_evidence evidence, bool has_parity, uint64_t *truth)
{
    int for_a = votes(block, a, b, a->sum), for_b = votes(block, a, b, b->sum);
    bool proven = false;

    if (for_a != for_b || (for_a && a->sum == b->sum)) {
        memcpy(truth, for_a >= for_b ? a->words : b->words, LOG_BLOCK_WORDS * sizeof(truth[0]));
        return LOG_TRUE;
    }
    if (evidence == LOG_BY_CRC)
        return LOG_UNKNOWN;
    has_parity = has_parity && take_parity(store, block, truth, &proven);
    if (has_parity && (proven || votes(block, a, b, words_crc(store, truth))))
        return LOG_TRUE;
    if (evidence == LOG_BY_PARITY)
        return LOG_UNKNOWN;
    return guess(store, block, a, b, has_parity, truth);
}

uint64_t log_vote_word(const struct log_store *store, uint32_t block, uint32_t word)
{
    uint64_t a = log_store_raw(store, 0, block, word), b = log_store_raw(store, 1, block, word);

    if (is_sound(store, LOG_COPY_A, block))
        return a;
    if (is_sound(store, LOG_COPY_B, block))
        return b;
    return bits_majority(a, b, log_store_parity(store, block, word));
}
