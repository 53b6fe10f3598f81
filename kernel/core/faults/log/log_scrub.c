// SPDX-License-Identifier: MIT
#include "log/log_scrub.h"

#include <stddef.h>

#include "lib/string.h"
#include "log/log_vote.h"

#define TRIES 4 /* at a moment when no CPU changes anything */

#define WORDS_BYTES (LOG_BLOCK_WORDS * sizeof(uint64_t))

static uint64_t changes_before(struct log_store *store)
{
    return atomic_load(&store->finished);
}

/* Whether nothing was changed since: what was read meanwhile is of one moment. */
static bool no_write_since(struct log_store *store, uint64_t before)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load(&store->started) == before;
}

static bool words_agree(const struct log_store *store, uint32_t block, uint64_t *sum)
{
    uint64_t differences = 0;

    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++) {
        uint64_t a = log_store_raw(store, 0, block, i);

        differences |= a ^ log_store_raw(store, 1, block, i);
        sum[i] ^= a;
    }
    return !differences;
}

static bool parity_is(const struct log_block *parity, const uint64_t *words)
{
    uint64_t differences = 0;

    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        differences |= atomic_load_explicit(&parity->word[i], memory_order_relaxed) ^ words[i];
    return !differences;
}

static bool group_is_sound(struct log_store *store, uint32_t group)
{
    uint64_t *sum = store->buffer[LOG_PARITY];
    uint32_t crc = 0;

    memset(sum, 0, WORDS_BYTES);
    for (uint32_t i = group; i < store->n_blocks; i += store->n_groups) {
        const struct log_block *a = &store->copy[0][i], *b = &store->copy[1][i];
        uint32_t own = log_block_crc(a, store->crc);

        if (!log_block_has_head(a, LOG_COPY_A, i) || !log_block_has_head(b, LOG_COPY_B, i) ||
            a->crc != log_block_seal(LOG_COPY_A, i, own) ||
            b->crc != log_block_seal(LOG_COPY_B, i, own) || !words_agree(store, i, sum))
            return false;
        crc ^= own;
    }
    return !store->parity || (log_block_has_head(&store->parity[group], LOG_PARITY, group) &&
                              store->parity[group].crc == log_block_seal(LOG_PARITY, group, crc) &&
                              parity_is(&store->parity[group], sum));
}

/*
 * Makes a block what it ought to be. Only bits that were seen wrong are flipped, so that
 * concurrent changes by others stay.
 */
static void restore_copy(struct log_store *store, struct log_block *block,
                         const struct log_view *seen, const uint64_t *truth,
                         struct log_damage damage, struct log_listener listener)
{
    uint32_t crc = log_block_seal(damage.part, damage.block, store->crc(0, truth, WORDS_BYTES));

    for (uint32_t i = LOG_BLOCK_WORDS; i-- > 0;) {
        uint64_t wrong = seen->words[i] ^ truth[i];

        if (!wrong)
            continue;
        atomic_fetch_xor(&block->word[i], wrong);
        damage.at = &block->word[i];
        damage.bits = wrong;
        damage.words++;
    }
    if (!damage.words && seen->has_head && seen->crc == crc)
        return;
    if (!damage.words)
        damage.at = block;
    if (!seen->has_head) {
        memset(block, 0, offsetof(struct log_block, crc));
        block->magic = LOG_BLOCK_MAGIC;
        block->part = damage.part;
        block->number = damage.block;
    }
    atomic_fetch_xor(&block->crc, seen->crc ^ crc);
    if (listener.damaged)
        listener.damaged(listener.ctx, &damage);
}

/* False: not now, others are changing the log. */
static bool repair_block(struct log_store *store, uint32_t number, enum log_evidence evidence,
                         bool *guessed, struct log_listener listener)
{
    uint64_t before = changes_before(store), *truth = store->buffer[LOG_PARITY];
    struct log_view a = log_view_read(store, LOG_COPY_A, number, store->buffer[LOG_COPY_A]);
    struct log_view b = log_view_read(store, LOG_COPY_B, number, store->buffer[LOG_COPY_B]);
    enum log_verdict verdict = log_vote_block(store, number, &a, &b, evidence, !*guessed, truth);
    struct log_damage damage = { .block = number, .lost = verdict == LOG_GUESSED };

    if (!no_write_since(store, before))
        return false;
    if (verdict == LOG_UNKNOWN)
        return true;
    *guessed |= damage.lost;
    damage.part = LOG_COPY_A;
    restore_copy(store, &store->copy[0][number], &a, truth, damage, listener);
    damage.part = LOG_COPY_B;
    restore_copy(store, &store->copy[1][number], &b, truth, damage, listener);
    return true;
}

/* Adds a block's words as they are in a copy that is sound. */
static void add_words(const struct log_store *store, uint32_t block, uint64_t *sum)
{
    enum log_part copy = LOG_COPY_A;

    /* The memory of a copy may not hold what was repaired in it. */
    if (!log_block_is_sound(&store->copy[0][block], LOG_COPY_A, block, store->crc) &&
        log_block_is_sound(&store->copy[1][block], LOG_COPY_B, block, store->crc))
        copy = LOG_COPY_B;
    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        sum[i] ^= log_store_raw(store, copy, block, i);
}

/* After all blocks of the group. */
static bool repair_parity(struct log_store *store, uint32_t group, struct log_listener listener)
{
    uint64_t before = changes_before(store), *sum = store->buffer[LOG_PARITY];
    struct log_block *parity = &store->parity[group];
    struct log_view seen = { .words = store->buffer[LOG_COPY_A],
                             .crc = parity->crc,
                             .has_head = log_block_has_head(parity, LOG_PARITY, group) };

    memset(sum, 0, WORDS_BYTES);
    for (uint32_t i = 0; i < LOG_BLOCK_WORDS; i++)
        seen.words[i] = atomic_load_explicit(&parity->word[i], memory_order_relaxed);
    for (uint32_t i = group; i < store->n_blocks; i += store->n_groups)
        add_words(store, i, sum);
    if (!no_write_since(store, before))
        return false;
    restore_copy(store, parity, &seen, sum,
                 (struct log_damage){ .part = LOG_PARITY, .block = group }, listener);
    return true;
}

/* What is proven comes first: the parity's evidence depends on it. */
static bool repair_group(struct log_store *store, uint32_t group, struct log_listener listener)
{
    const struct log_listener none = { 0 };
    bool guessed = false;

    for (enum log_evidence evidence = LOG_BY_CRC; evidence <= LOG_BY_GUESS; evidence++) {
        for (uint32_t i = group; i < store->n_blocks; i += store->n_groups) {
            if (!repair_block(store, i, evidence, &guessed, listener))
                return false;
        }
    }
    /* The parity proves nothing against a guess: it is computed again. */
    return !store->parity || repair_parity(store, group, guessed ? none : listener);
}

bool log_scrub_group(struct log_store *store, uint32_t group, struct log_listener listener)
{
    if (!store->copy[1])
        return true;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = changes_before(store);

        if (group_is_sound(store, group))
            return true;
        if (no_write_since(store, before) && repair_group(store, group, listener))
            return true;
    }
    return false;
}

bool log_scrub_all(struct log_store *store, struct log_listener listener)
{
    bool all = true;

    for (uint32_t i = 0; i < store->n_groups; i++)
        all &= log_scrub_group(store, i, listener);
    return all;
}

static bool is_set_in_truth(const struct log_store *store, uint64_t bit)
{
    uint32_t block = (uint32_t)(bit / LOG_BLOCK_BITS);
    uint32_t word = bit / LOG_WORD_BITS % LOG_BLOCK_WORDS;

    return log_vote_word(store, block, word) >> bit % LOG_WORD_BITS & 1;
}

/* Where a cell is stuck the bit becomes pending again, and is forced. */
static bool set_pending(struct log_store *store, uint64_t bit)
{
    uint64_t before;

    if (is_set_in_truth(store, bit))
        return false;
    if (log_store_set(store, bit))
        return true;
    before = changes_before(store);
    if (is_set_in_truth(store, bit))
        return false;
    if (!no_write_since(store, before)) {
        pending_bits_add(&store->pending, bit);
        return false;
    }
    log_store_force(store, bit);
    return true;
}

void log_scrub_pending(struct log_store *store, struct log_listener listener,
                       void (*on_set)(void *ctx), void *ctx)
{
    uint32_t at = 0;
    uint64_t bit;

    if (!atomic_exchange(&store->pending.any, 0))
        return;
    while (pending_bits_take(&store->pending, &at, &bit)) {
        uint32_t group = (uint32_t)(bit / LOG_BLOCK_BITS) % store->n_groups;

        if (!log_scrub_group(store, group, listener))
            pending_bits_add(&store->pending, bit);
        else if (set_pending(store, bit))
            on_set(ctx);
    }
}
