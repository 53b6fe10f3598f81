// SPDX-License-Identifier: MIT
#include "sweep/unit_check.h"

#include "lib/splitmix.h"

#define WORDS (UNIT_CHECK_LINES * sizeof(struct line) / sizeof(uint64_t))

/* Of the words as they are filled, of these with the second half a copy of the first, and mixed. */
#define SUM        UINT64_C(0x4e5e50889324e157)
#define SUM_COPIED UINT64_C(0x9f85c21a5bd9f650)
#define SUM_MIXED  UINT64_C(0xbc612c78e13decc4)

static void fill(uint64_t *word)
{
    uint64_t state = 1;

    for (size_t i = 0; i < WORDS; i++)
        word[i] = splitmix_next(&state);
}

/* Volatile: what is in the cache is read. */
static uint64_t sum(const volatile uint64_t *word)
{
    uint64_t s = 0;

    for (size_t i = 0; i < WORDS; i++)
        s = (s << 1 | s >> 63) + word[i];
    return s;
}

static void copy_half(uint64_t *word)
{
    uint64_t *to = word + WORDS / 2;
    size_t n = WORDS / 2;

    __asm__ volatile("rep movsq" : "+D"(to), "+S"(word), "+c"(n) : : "memory");
}

const char *unit_check(const struct line_ops *const *ops, size_t n, struct line *lines)
{
    uint64_t *word = lines->word;

    fill(word);
    if (sum(word) != SUM)
        return "integer";
    copy_half(word);
    if (sum(word) != SUM_COPIED)
        return "string";
    for (size_t i = 0; i < n; i++) {
        fill(word);
        ops[i]->mix(lines, UNIT_CHECK_LINES);
        if (sum(word) != SUM_MIXED)
            return ops[i]->name;
    }
    return NULL;
}
