// SPDX-License-Identifier: MIT
#include "log/log_counts.h"

#include "lib/bits.h"
#include "lib/minmax.h"
#include "lib/string.h"

_Static_assert(LOG_COUNTS <= LOG_PAGE_WORDS, "counts fit into one page");

void log_counts_init(struct log_counts *counts, void *const copy[LOG_COPIES], size_t n_copies)
{
    counts->n_copies = n_copies;
    for (size_t i = 0; i < n_copies; i++) {
        counts->copy[i] = copy[i];
        memset(copy[i], 0, LOG_PAGE_WORDS * sizeof(uint64_t));
    }
}

void log_counts_add(struct log_counts *counts, uint32_t count, uint64_t n)
{
    for (size_t i = 0; i < counts->n_copies; i++)
        atomic_fetch_add_explicit(&counts->copy[i][count], n, memory_order_release);
}

void log_counts_set_bits(struct log_counts *counts, uint32_t count, uint64_t bits)
{
    for (size_t i = 0; i < counts->n_copies; i++) {
        _Atomic uint64_t *word = &counts->copy[i][count];

        if (bits & ~atomic_load_explicit(word, memory_order_relaxed))
            atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
    }
}

void log_counts_set_once(struct log_counts *counts, uint32_t count, uint64_t value)
{
    for (size_t i = 0; i < counts->n_copies; i++) {
        uint64_t none = 0;

        atomic_compare_exchange_strong(&counts->copy[i][count], &none, value);
    }
}

static uint64_t load(const struct log_counts *counts, size_t copy, uint32_t count)
{
    return atomic_load_explicit(&counts->copy[copy][count], memory_order_acquire);
}

/* What any copy has there. */
static uint64_t any_of(const struct log_counts *counts, uint32_t count)
{
    uint64_t any = 0;

    for (size_t i = 0; i < counts->n_copies; i++)
        any |= load(counts, i, count);
    return any;
}

/*
 * Sets a word that is 0, and returns 0; else what it holds. Of many CPUs one is the first. The
 * first copy is written first: if it alone is 0, it is damaged, and the page of the others stays.
 */
static uint64_t take(struct log_counts *counts, uint32_t count, uint64_t value)
{
    uint64_t held = 0, any = any_of(counts, count);

    if (any && !load(counts, 0, count))
        return any;
    if (!atomic_compare_exchange_strong(&counts->copy[0][count], &held, value))
        return held;
    for (size_t i = 1; i < counts->n_copies; i++)
        atomic_store(&counts->copy[i][count], value);
    return 0;
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = min_u64(a, b), high = max_u64(a, b);

    return min_u64(max_u64(c, low), high);
}

uint64_t log_counts_read(const struct log_counts *counts, uint32_t count)
{
    uint64_t a = load(counts, 0, count), b, c;

    if (counts->n_copies < LOG_COPIES)
        return a;
    b = load(counts, 1, count);
    c = load(counts, 2, count);
    if (count == LOG_COUNT_FAILING_BITS || count == LOG_COUNT_OUTSIDE_ADDR)
        return bits_majority(a, b, c);
    return median(a, b, c);
}

void log_counts_scrub(struct log_counts *counts, struct log_damage damage[LOG_COPIES])
{
    for (uint32_t count = 0; count < LOG_PAGE_WORDS; count++) {
        uint64_t truth = log_counts_read(counts, count);

        for (size_t i = 0; i < counts->n_copies; i++) {
            uint64_t wrong = load(counts, i, count) ^ truth;

            if (!wrong)
                continue;
            log_damage_add(&damage[i], (const void *)&counts->copy[i][count], wrong);
            atomic_store(&counts->copy[i][count], truth);
        }
    }
}

void log_counts_write(struct log_counts *counts, uint32_t count, uint64_t value)
{
    for (size_t i = 0; i < counts->n_copies; i++)
        atomic_store(&counts->copy[i][count], value);
}

/* A word that is 0 holds none. */
#define USED UINT64_C(1)

static uint64_t word_of(uint64_t page)
{
    return page << 1 | USED;
}

/* Words are taken in order, so the first that no copy has is the end. */
static bool is_end(const struct log_counts *counts, uint32_t i)
{
    return i == LOG_COUNT_PAGES || !any_of(counts, LOG_COUNT_PAGE + i);
}

enum log_page_added log_pages_add(struct log_counts *counts, uint64_t page)
{
    for (uint32_t i = 0; i < LOG_COUNT_PAGES; i++) {
        uint64_t held = take(counts, LOG_COUNT_PAGE + i, word_of(page));

        if (!held)
            return LOG_PAGE_NEW;
        if (held == word_of(page))
            return LOG_PAGE_KNOWN;
    }
    return LOG_PAGE_NO_ROOM;
}

bool log_pages_has(const struct log_counts *counts, uint64_t page)
{
    for (uint32_t i = 0; !is_end(counts, i); i++) {
        if (log_counts_read(counts, LOG_COUNT_PAGE + i) == word_of(page))
            return true;
    }
    return false;
}

uint64_t log_pages_next(const struct log_counts *counts, uint64_t page)
{
    uint64_t next = PAGES_MAX;

    for (uint32_t i = 0; !is_end(counts, i); i++) {
        uint64_t word = log_counts_read(counts, LOG_COUNT_PAGE + i);

        if (word & USED && word >> 1 >= page && word >> 1 < next)
            next = word >> 1;
    }
    return next;
}
