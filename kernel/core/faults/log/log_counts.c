// SPDX-License-Identifier: MIT
#include "log/log_counts.h"

#include "lib/bits.h"
#include "lib/minmax.h"
#include "lib/panic.h"

/* No number of a block. */
#define COUNTS_NUMBER 0x3fffffffu

_Static_assert(LOG_COUNTS <= LOG_BLOCK_WORDS, "counts fit into one block");

void log_counts_init(struct log_counts *counts, void *const part[LOG_PARTS], size_t n_parts)
{
    ASSERT(n_parts && n_parts <= LOG_PARTS);
    counts->n_parts = n_parts;
    for (size_t i = 0; i < n_parts; i++) {
        counts->part[i] = part[i];
        log_block_init(part[i], (enum log_part)i, COUNTS_NUMBER);
    }
}

void log_counts_add(struct log_counts *counts, uint32_t count, uint64_t n)
{
    for (size_t i = 0; i < counts->n_parts; i++)
        atomic_fetch_add_explicit(&counts->part[i]->word[count], n, memory_order_release);
}

void log_counts_set_bits(struct log_counts *counts, uint32_t count, uint64_t bits)
{
    for (size_t i = 0; i < counts->n_parts; i++) {
        _Atomic uint64_t *word = &counts->part[i]->word[count];

        if (bits & ~atomic_load_explicit(word, memory_order_relaxed))
            atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
    }
}

void log_counts_set_once(struct log_counts *counts, uint32_t count, uint64_t value)
{
    for (size_t i = 0; i < counts->n_parts; i++) {
        uint64_t none = 0;

        atomic_compare_exchange_strong(&counts->part[i]->word[count], &none, value);
    }
}

uint64_t log_counts_take(struct log_counts *counts, uint32_t count, uint64_t value)
{
    uint64_t held = 0;

    if (!atomic_compare_exchange_strong(&counts->part[0]->word[count], &held, value))
        return held;
    for (size_t i = 1; i < counts->n_parts; i++)
        atomic_store(&counts->part[i]->word[count], value);
    return 0;
}

bool log_counts_is_zero(const struct log_counts *counts, uint32_t count)
{
    uint64_t any = 0;

    for (size_t i = 0; i < counts->n_parts; i++)
        any |= atomic_load_explicit(&counts->part[i]->word[count], memory_order_acquire);
    return !any;
}

static uint64_t load(const struct log_counts *counts, size_t part, uint32_t count)
{
    return atomic_load_explicit(&counts->part[part]->word[count], memory_order_acquire);
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = min_u64(a, b), high = max_u64(a, b);

    return min_u64(max_u64(c, low), high);
}

uint64_t log_counts_read(const struct log_counts *counts, uint32_t count)
{
    uint64_t a = load(counts, 0, count), b, c;

    if (counts->n_parts < LOG_PARTS)
        return a;
    b = load(counts, 1, count);
    c = load(counts, 2, count);
    if (count == LOG_COUNT_FAILING_BITS || count == LOG_COUNT_OUTSIDE_ADDR)
        return bits_majority(a, b, c);
    return median(a, b, c);
}

static void scrub_part(struct log_counts *counts, size_t part, struct log_listener listener)
{
    struct log_block *block = counts->part[part];
    struct log_damage damage = { .part = (enum log_part)part, .block = COUNTS_NUMBER };

    for (uint32_t i = LOG_BLOCK_WORDS; i-- > 0;) {
        uint64_t truth = log_counts_read(counts, i), wrong = load(counts, part, i) ^ truth;

        if (!wrong)
            continue;
        atomic_store(&block->word[i], truth);
        damage.at = &block->word[i];
        damage.bits = wrong;
        damage.words++;
    }
    if (damage.words && listener.damaged)
        listener.damaged(listener.ctx, &damage);
}

void log_counts_scrub(struct log_counts *counts, struct log_listener listener)
{
    if (counts->n_parts < LOG_PARTS)
        return;
    for (size_t i = 0; i < counts->n_parts; i++)
        scrub_part(counts, i, listener);
}

void log_counts_write(struct log_counts *counts, uint32_t count, uint64_t value)
{
    for (size_t i = 0; i < counts->n_parts; i++)
        atomic_store(&counts->part[i]->word[count], value);
}
