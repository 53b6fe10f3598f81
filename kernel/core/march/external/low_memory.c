// SPDX-License-Identifier: MIT
#include "external/low_memory.h"

#include "lib/panic.h"

enum { FREE, CLAIMED, RECORDED };

void low_memory_add(struct low_memory *low, const struct low_change *change)
{
    size_t page = change->addr >> PAGE_SHIFT;
    unsigned state = FREE;

    ASSERT(change->addr < LOW_MEMORY_END);
    if (!atomic_compare_exchange_strong(&low->page[page].state, &state, CLAIMED))
        return;
    low->page[page].change = *change;
    atomic_store(&low->page[page].state, RECORDED);
}

bool low_memory_drain(struct low_memory *low, struct low_change *ret_change)
{
    for (size_t i = 0; i < LOW_MEMORY_END >> PAGE_SHIFT; i++) {
        unsigned state = atomic_exchange(&low->page[i].state, FREE);

        if (state == RECORDED) {
            *ret_change = low->page[i].change;
            return true;
        }
    }
    return false;
}

#define MARCH                                                                                      \
    "any(w0);up(r0,r0,w0,r0,w1);up(r1,r1,w1,r1,w0);down(r0,r0,w0,r0,w1);down(r1,r1,w1,r1,w0);"     \
    "any(r0)"
#define BACKGROUNDS 2

struct words {
    struct low_word *word;
    size_t n;
};

static void note_bits(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct words *words = ctx;

    for (size_t i = 0; i < words->n; i++) {
        if (words->word[i].addr == phys)
            words->word[i].in_this_try |= expected ^ found;
    }
}

static void sweep_all(const struct low_retest *r, const struct sweep *sweep,
                      const struct march_element *e, const struct data *data)
{
    for (size_t i = 0; i < r->n_slices; i++)
        sweep_element(sweep, e, data, r->slice[e->kind == MARCH_DOWN ? r->n_slices - 1 - i : i]);
}

static void march_once(const struct low_retest *r, const struct sweep *sweep)
{
    struct march march;
    struct march_error error;

    ASSERT(march_parse(MARCH, &march, &error) == MARCH_OK);
    for (uint32_t number = 0; number < BACKGROUNDS; number++) {
        struct data data = data_background(number);

        for (uint32_t i = 0; i < march.n_elements; i++)
            sweep_all(r, sweep, &march.element[i], &data);
    }
}

/* Whether any word was wrong in each try, this one included. */
static bool end_try(struct words words)
{
    uint64_t any = 0;

    for (size_t i = 0; i < words.n; i++) {
        words.word[i].wrong_bits &= words.word[i].in_this_try;
        words.word[i].in_this_try = 0;
        any |= words.word[i].wrong_bits;
    }
    return any != 0;
}

void low_retest(const struct low_retest *retest, struct low_word *word, size_t n)
{
    struct words words = { word, n };
    struct sweep sweep = {
        .ops = retest->ops,
        .has_clflushopt = retest->has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = note_bits, .ctx = &words },
    };

    for (size_t i = 0; i < n; i++) {
        word[i].wrong_bits = UINT64_MAX;
        word[i].in_this_try = 0;
    }
    for (unsigned i = 0; i < LOW_RETEST_TRIES; i++) {
        march_once(retest, &sweep);
        if (!end_try(words))
            return;
    }
}
