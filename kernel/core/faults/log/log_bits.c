// SPDX-License-Identifier: MIT
#include "log/log_bits.h"

#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/panic.h"

/*
 * The word with these bits. Its check is of its place, too, so zeros and words of elsewhere are not
 * sound. By the factor any one or two bits that turn over are noticed (test_log_bits.c).
 */
static uint64_t seal(uint64_t word, uint64_t data)
{
    uint64_t product = (data + word + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return data | product >> LOG_WORD_BITS << LOG_WORD_BITS;
}

static bool is_sound(uint64_t word, uint64_t held)
{
    return seal(word, held & LOG_WORD_MASK) == held;
}

uint64_t log_bits_words(uint64_t n_bits)
{
    return div_up(div_up(n_bits, LOG_WORD_BITS), LOG_PAGE_WORDS) * LOG_PAGE_WORDS;
}

static size_t n_copies(const struct log_bits *bits)
{
    return bits->copy[1] ? LOG_COPIES : 1;
}

void log_bits_init(struct log_bits *bits, void *const copy[LOG_COPIES], uint64_t n_words)
{
    *bits = (struct log_bits){ { copy[0], copy[1], copy[2] }, n_words };
    for (size_t i = 0; i < n_copies(bits); i++) {
        ASSERT((uintptr_t)copy[i] % sizeof(uint64_t) == 0);
        for (uint64_t word = 0; word < n_words; word++)
            atomic_store_explicit(&bits->copy[i][word], seal(word, 0), memory_order_relaxed);
    }
}

/* A word as each copy has it. */
struct held {
    uint64_t in[LOG_COPIES];
};

static struct held read_word(const struct log_bits *bits, uint64_t word)
{
    struct held held;

    for (size_t i = 0; i < LOG_COPIES; i++)
        held.in[i] =
            atomic_load_explicit(&bits->copy[bits->copy[1] ? i : 0][word], memory_order_relaxed);
    return held;
}

/* The bits that are set. False: guessed. */
static bool vote(const struct held *held, uint64_t word, uint64_t *ret_data)
{
    uint64_t majority = bits_majority(held->in[0], held->in[1], held->in[2]), data = 0;
    bool any = false;

    for (size_t i = 0; i < LOG_COPIES; i++) {
        if (is_sound(word, held->in[i])) {
            data |= held->in[i] & LOG_WORD_MASK;
            any = true;
        }
    }
    *ret_data = any ? data : majority & LOG_WORD_MASK;
    return any || is_sound(word, majority);
}

uint64_t log_bits_vote(const struct log_bits *bits, uint64_t word)
{
    struct held held = read_word(bits, word);
    uint64_t data;

    vote(&held, word, &data);
    return data;
}

/*
 * Sets bits in one copy; a damaged word stays unsound. False: it is. *ret_new: whether they were
 * not set.
 */
static bool set_in_copy(_Atomic uint64_t *at, uint64_t word, uint64_t mask, bool *ret_new)
{
    uint64_t held = atomic_load_explicit(at, memory_order_relaxed), wanted;
    bool sound;

    do {
        sound = is_sound(word, held);
        *ret_new = !(held & mask);
        wanted = sound ? seal(word, (held & LOG_WORD_MASK) | mask) : held | mask;
    } while (*ret_new && !atomic_compare_exchange_weak(at, &held, wanted));
    return sound;
}

bool log_bits_set(struct log_bits *bits, uint64_t bit)
{
    uint64_t word = bit / LOG_WORD_BITS, mask = UINT64_C(1) << bit % LOG_WORD_BITS;
    bool is_known = false, is_first = false, is_new;

    /* What is set is set again and again: all CPUs only read it then. */
    if (log_bits_word(bits, word) & mask)
        return false;
    for (size_t i = 0; i < n_copies(bits); i++) {
        bool sound = set_in_copy(&bits->copy[i][word], word, mask, &is_new);

        /* Of many CPUs one is the first in the first word that can be relied upon. */
        if (sound && !is_known)
            is_first = is_new;
        is_known |= sound;
    }
    return is_first || !is_known;
}

/* Of bits that were set meanwhile none is lost: the word is left for the next time then. */
static void repair_word(_Atomic uint64_t *at, uint64_t word, uint64_t held, uint64_t truth,
                        struct log_damage *damage)
{
    uint64_t wanted = seal(word, truth);

    if (held == wanted || !atomic_compare_exchange_strong(at, &held, wanted))
        return;
    /* A sound one was only late. */
    if (!is_sound(word, held))
        log_damage_add(damage, (const void *)at, held ^ wanted);
}

void log_bits_scrub(struct log_bits *bits, uint64_t page, struct log_damage damage[LOG_COPIES],
                    uint64_t *ret_first_lost, uint64_t *ret_lost_end)
{
    uint64_t end = (page + 1) * LOG_PAGE_WORDS;

    for (uint64_t word = page * LOG_PAGE_WORDS; bits->copy[1] && word < end; word++) {
        struct held held = read_word(bits, word);
        uint64_t truth;

        if (held.in[0] == held.in[1] && held.in[0] == held.in[2] && is_sound(word, held.in[0]))
            continue;
        if (!vote(&held, word, &truth)) {
            if (!damage[0].lost)
                *ret_first_lost = word * LOG_WORD_BITS;
            *ret_lost_end = (word + 1) * LOG_WORD_BITS;
            damage[0].lost = true;
        }
        for (size_t i = 0; i < LOG_COPIES; i++)
            repair_word(&bits->copy[i][word], word, held.in[i], truth, &damage[i]);
    }
}
