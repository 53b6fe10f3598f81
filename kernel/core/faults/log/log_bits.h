// SPDX-License-Identifier: MIT
/*
 * The bits of the fault log, in three copies that are alike, word by word.
 *
 * A word holds LOG_WORD_BITS bits and a check of these, and is changed by one atomic operation: so
 * it is sound at any time, and shows by itself whether it has been damaged. What any sound word of
 * the three has set is set, so two of them may be damaged in any way. Where none is sound the
 * majority of the three, bit by bit, is the truth if its check holds, else a guess.
 *
 * Bits are only ever set, by all CPUs at the same time, lock-free. With one copy alone nothing can
 * be repaired; the rest is the same.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "log/log_damage.h"

#define LOG_WORD_BITS 40
#define LOG_WORD_MASK ((UINT64_C(1) << LOG_WORD_BITS) - 1) /* of the bits, without the check */

struct log_bits {
    _Atomic uint64_t *copy[LOG_COPIES]; /* [1] NULL: there is one only */
    uint64_t n_words;                   /* of a copy */
};

/* The number of words for n_bits, rounded up to whole pages. */
uint64_t log_bits_words(uint64_t n_bits);

/* No bit is set. */
void log_bits_init(struct log_bits *bits, void *const copy[LOG_COPIES], uint64_t n_words);

/* True: this call set it, no other. Next to damage two calls may be told so. */
bool log_bits_set(struct log_bits *bits, uint64_t bit);

/* The bits of a word in which copies differ. */
uint64_t log_bits_vote(const struct log_bits *bits, uint64_t word);

/*
 * Repairs page `page` of each copy, while other CPUs go on. Bits from *ret_first_lost to before
 * *ret_lost_end are those that had to be guessed, if any damage is lost. Boot CPU only.
 */
void log_bits_scrub(struct log_bits *bits, uint64_t page, struct log_damage damage[LOG_COPIES],
                    uint64_t *ret_first_lost, uint64_t *ret_lost_end);

/* The bits of a word; cheap while the copies agree. */
static inline uint64_t log_bits_word(const struct log_bits *bits, uint64_t word)
{
    uint64_t a = atomic_load_explicit(&bits->copy[0][word], memory_order_relaxed);

    if (bits->copy[1] && (atomic_load_explicit(&bits->copy[1][word], memory_order_relaxed) != a ||
                          atomic_load_explicit(&bits->copy[2][word], memory_order_relaxed) != a))
        return log_bits_vote(bits, word);
    return a & LOG_WORD_MASK;
}
