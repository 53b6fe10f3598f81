// SPDX-License-Identifier: MIT
#include "log/log_store.h"

#include "lib/div_up.h"
#include "lib/panic.h"
#include "lib/string.h"

uint32_t log_store_groups(uint32_t n_blocks)
{
    return (uint32_t)div_up(n_blocks, LOG_GROUP_BLOCKS);
}

static void init_part(struct log_block *block, enum log_part part, uint32_t n)
{
    ASSERT((uintptr_t)block % sizeof(uint64_t) == 0);
    for (uint32_t i = 0; block && i < n; i++)
        log_block_init(&block[i], part, i);
}

void log_store_init(struct log_store *store, uint32_t n_blocks, uint32_t first_record, void *copy_a,
                    void *copy_b, void *parity)
{
    memset(store, 0, sizeof(*store));
    store->copy[0] = copy_a;
    store->copy[1] = copy_b;
    store->parity = copy_b ? parity : NULL;
    store->n_blocks = n_blocks;
    store->n_groups = log_store_groups(n_blocks);
    store->first_record = first_record;
    store->crc = crc32c_best();
    init_part(store->copy[0], LOG_COPY_A, n_blocks);
    init_part(store->copy[1], LOG_COPY_B, n_blocks);
    init_part(store->parity, LOG_PARITY, store->n_groups);
}

void log_store_begin(struct log_store *store)
{
    if (store->copy[1])
        atomic_fetch_add(&store->started, 1);
}

void log_store_end(struct log_store *store)
{
    if (store->copy[1])
        atomic_fetch_add(&store->finished, 1);
}

static _Atomic uint64_t *word_of(const struct log_store *store, unsigned copy, uint32_t block,
                                 uint32_t word)
{
    return &store->copy[copy][block].word[word];
}

static void flip_crc(struct log_block *block, uint32_t delta)
{
    atomic_fetch_xor_explicit(&block->crc, delta, memory_order_relaxed);
}

static void account_crc(struct log_store *store, uint32_t block, uint32_t delta)
{
    flip_crc(&store->copy[0][block], delta);
    flip_crc(&store->copy[1][block], delta);
    if (store->parity)
        flip_crc(&store->parity[block % store->n_groups], delta);
}

static void account_parity(struct log_store *store, uint32_t block, uint32_t word, uint64_t bits)
{
    if (store->parity)
        atomic_fetch_xor_explicit(&store->parity[block % store->n_groups].word[word], bits,
                                  memory_order_relaxed);
}

uint64_t log_store_parity(const struct log_store *store, uint32_t block, uint32_t word)
{
    uint32_t group = block % store->n_groups;
    uint64_t sum;

    if (!store->parity)
        return 0;
    sum = atomic_load_explicit(&store->parity[group].word[word], memory_order_relaxed);
    for (uint32_t i = group; i < store->n_blocks; i += store->n_groups) {
        if (i != block)
            sum ^= log_store_raw(store, 0, i, word);
    }
    return sum;
}

/* A bit that this CPU, and no other, is the one to set. */
static void set_rest(struct log_store *store, uint32_t block, uint32_t word, uint64_t mask)
{
    atomic_fetch_or_explicit(word_of(store, 1, block, word), mask, memory_order_relaxed);
    account_parity(store, block, word, mask);
    account_crc(store, block, log_block_crc_delta(word, mask, store->crc));
}

bool log_store_set(struct log_store *store, uint64_t bit)
{
    uint64_t mask = UINT64_C(1) << bit % LOG_WORD_BITS, words = bit / LOG_WORD_BITS;
    uint32_t block = (uint32_t)(words / LOG_BLOCK_WORDS), word = words % LOG_BLOCK_WORDS;
    _Atomic uint64_t *a = word_of(store, 0, block, word);
    uint64_t in_a = atomic_load_explicit(a, memory_order_relaxed) & mask, in_b, in_parity;
    bool won;

    if (!store->copy[1])
        return !in_a && !(atomic_fetch_or_explicit(a, mask, memory_order_relaxed) & mask);
    in_b = log_store_raw(store, 1, block, word) & mask;
    in_parity = store->parity ? log_store_parity(store, block, word) & mask : in_a;
    if (in_a != in_b || in_a != in_parity) {
        pending_bits_add(&store->pending, bit);
        return false;
    }
    /* What is set is set again and again: all CPUs only read it then. */
    if (in_a)
        return false;
    log_store_begin(store);
    won = !(atomic_fetch_or_explicit(a, mask, memory_order_relaxed) & mask);
    if (won)
        set_rest(store, block, word, mask);
    else
        pending_bits_add(&store->pending, bit);
    log_store_end(store);
    return won;
}

void log_store_force(struct log_store *store, uint64_t bit)
{
    uint64_t mask = UINT64_C(1) << bit % LOG_WORD_BITS, words = bit / LOG_WORD_BITS;
    uint32_t block = (uint32_t)(words / LOG_BLOCK_WORDS), word = words % LOG_BLOCK_WORDS;

    atomic_fetch_or_explicit(word_of(store, 0, block, word), mask, memory_order_relaxed);
    set_rest(store, block, word, mask);
}

void log_store_write(struct log_store *store, uint32_t block, uint32_t word, const uint64_t *words,
                     uint32_t n)
{
    uint32_t delta = 0;

    for (unsigned copy = store->copy[1] ? 2 : 1; copy-- > 0;) {
        for (uint32_t i = n; i-- > 0;)
            atomic_store_explicit(word_of(store, copy, block, word + i), words[i],
                                  memory_order_release);
    }
    if (!store->copy[1])
        return;
    for (uint32_t i = 0; i < n; i++) {
        account_parity(store, block, word + i, words[i]);
        delta ^= log_block_crc_delta(word + i, words[i], store->crc);
    }
    account_crc(store, block, delta);
}
