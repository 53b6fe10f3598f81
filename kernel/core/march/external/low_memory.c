// SPDX-License-Identifier: MIT
#include "external/low_memory.h"

#include "lib/bits.h"
#include "lib/panic.h"
#include "sweep/march_part.h"

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

bool low_comes_again(struct low_memory *low, const struct low_change *change)
{
    uint64_t bits = change->expected ^ change->found;
    size_t i = change->addr >> PAGE_SHIFT;

    if (low->page[i].again_addr != change->addr || low->page[i].again_bits != bits ||
        low->round - low->page[i].again_round > LOW_ROUNDS)
        low->page[i].times = 0;
    if (!low->page[i].times || low->page[i].again_expected != change->expected)
        low->page[i].times++;
    low->page[i].again_addr = change->addr;
    low->page[i].again_bits = bits;
    low->page[i].again_expected = change->expected;
    low->page[i].again_round = low->round;
    return low->page[i].times >= LOW_TIMES;
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

static struct sweep sweep_with(const struct low_retest *retest, struct line_faults faults)
{
    return (struct sweep){ .ops = retest->ops,
                           .has_clflushopt = retest->has_clflushopt,
                           .lanes = ORDER_ONE_LANE,
                           .faults = faults };
}

struct scan {
    struct low_memory *low;
    struct external_place place;
    bool is_other; /* some words hold other lines' data */
};

static void add_change(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct scan *scan = ctx;

    low_memory_add(scan->low, &(struct low_change){ phys, expected, found, scan->place });
}

#define OTHER_BITS 16 /* or more wrong: below that one in 70,000 words of other random data is */

static void look_at_bits(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct scan *scan = ctx;

    scan->is_other |= bits_count(expected ^ found) >= OTHER_BITS;
    if (!scan->is_other)
        add_change(ctx, phys, expected, found);
}

static bool holds_data_of_others(const struct low_retest *retest, struct scan *scan)
{
    struct sweep sweep =
        sweep_with(retest, (struct line_faults){ .report = look_at_bits, .ctx = scan });
    struct data data = data_make(DATA_RANDOM, 0, 1);
    struct march march;
    struct march_error error;

    ASSERT(march_parse("up(w0);up(r0)", &march, &error) == MARCH_OK);
    for (uint32_t i = 0; i < march.n_elements; i++)
        sweep_all(retest, &sweep, &march.element[i], &data);
    return scan->is_other;
}

bool low_scan(const struct low_retest *retest, struct low_memory *low, struct external_place place)
{
    struct scan scan = { .low = low, .place = place };
    struct sweep sweep =
        sweep_with(retest, (struct line_faults){ .report = add_change, .ctx = &scan });

    if (holds_data_of_others(retest, &scan))
        return false;
    march_once(retest, &sweep);
    return true;
}

void low_retest(const struct low_retest *retest, struct low_word *word, size_t n)
{
    struct words words = { word, n };
    struct sweep sweep =
        sweep_with(retest, (struct line_faults){ .report = note_bits, .ctx = &words });

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

bool low_may_search(struct low_memory *low, uint64_t addr)
{
    return low->page[addr >> PAGE_SHIFT].searches++ < LOW_SEARCHES_MAX;
}

#define SUSPECTS_MAX 8

/* A word that was wrong in the search. */
struct suspect {
    uint64_t addr;
    uint64_t bits;  /* wrong the first time */
    uint64_t times; /* like a fault */
    uint64_t wrong; /* bits, after this store; 0: it is right */
    uint32_t reads; /* bit i: it was wrong in read i after this store */
};

struct search {
    struct suspect suspect[SUSPECTS_MAX];
    size_t n;
    unsigned read;
    struct data data, before; /* stored last, and before that */
};

static struct suspect *suspect_of(struct search *search, uint64_t addr)
{
    for (size_t i = 0; i < search->n; i++) {
        if (search->suspect[i].addr == addr)
            return &search->suspect[i];
    }
    if (search->n == SUSPECTS_MAX)
        return NULL;
    search->suspect[search->n] = (struct suspect){ .addr = addr };
    return &search->suspect[search->n++];
}

static void note_suspect(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct search *search = ctx;
    struct suspect *s = suspect_of(search, phys);

    if (!s)
        return;
    s->wrong = expected ^ found;
    s->reads |= UINT32_C(1) << search->read;
    s->bits = s->times ? s->bits : s->wrong;
}

static bool looks_faulty(const struct search *search, const struct suspect *s)
{
    uint64_t before = data_word(&search->data, s->addr) ^ data_word(&search->before, s->addr);
    bool from_first_on = s->reads & 1, right_again = !(s->reads >> (LOW_SEARCH_READS - 1));

    return (from_first_on || right_again) && (s->wrong == s->bits || s->wrong == before);
}

/* After the reads of a store. False: somebody else has stored. */
static bool count_faults(struct search *search)
{
    for (size_t i = 0; i < search->n; i++) {
        struct suspect *s = &search->suspect[i];

        if (!s->reads)
            continue;
        if (!looks_faulty(search, s))
            return false;
        s->times++;
        s->reads = 0;
    }
    return true;
}

static bool has_fault(const struct search *search)
{
    for (size_t i = 0; i < search->n; i++) {
        if (search->suspect[i].times >= LOW_SEARCH_FAULTS)
            return true;
    }
    return false;
}

static void store_and_read(const struct low_retest *r, struct search *search, struct slice page)
{
    const struct march_element fill = march_fill(false), verify = march_verify(false);
    struct sweep sweep =
        sweep_with(r, (struct line_faults){ .report = note_suspect, .ctx = search });

    sweep_element(&sweep, &fill, &search->data, page);
    for (search->read = 0; search->read < LOW_SEARCH_READS; search->read++)
        sweep_element(&sweep, &verify, &search->data, page);
}

static bool search_slice(const struct low_retest *r, struct slice page)
{
    struct search search = { .n = 0 };

    for (uint32_t i = 0; i < LOW_SEARCH_STORES && !has_fault(&search); i++) {
        search.before = search.data;
        search.data = data_make(DATA_RANDOM, i, page.phys);
        store_and_read(r, &search, page);
        if (!count_faults(&search))
            return false;
    }
    return has_fault(&search);
}

bool low_page_fails(const struct low_retest *retest, uint64_t addr)
{
    for (size_t i = 0; i < retest->n_slices; i++) {
        struct slice page = retest->slice[i];

        if (addr - page.phys < page.n_lines * sizeof(struct line))
            return search_slice(retest, page);
    }
    return false;
}
