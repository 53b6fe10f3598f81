// SPDX-License-Identifier: MIT
#include "kind/kind_repeats.h"

#include "kind/kind_input.h"
#include "kind/kind_words.h"
#include "lib/minmax.h"

static void count_tests(const struct kind_input *input, struct kind_repeats *r)
{
    for (size_t i = 0; i < input->n_tests; i++) {
        const struct kind_test *t = &input->test[i];

        if (t->waits)
            r->by_waiting += t->faults;
        else if (t->hammers)
            r->by_hammering += t->faults;
        else
            r->by_others += t->faults;
        r->others_ran |= t->ran && !t->waits && !t->hammers;
    }
}

static void count_retests(const struct kind_input *input, struct kind_repeats *r)
{
    for (size_t i = 0; i < input->n_retests; i++) {
        const struct page_retest *page = &input->retest[i];

        if (!page->tries)
            continue;
        r->n_again++;
        if (page->lost_data) {
            r->never++;
            r->lost++;
        } else if (page->failed == page->tries) {
            r->always++;
        } else if (page->failed) {
            r->sometimes++;
        } else {
            r->never++;
        }
    }
}

/* Reads of w0's data in a round, and of their complement. */
static void count_ops(const struct march *march, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t i = 0; i < march->n_elements; i++) {
        const struct march_element *e = &march->element[i];

        for (uint32_t op = 0; op < e->n_ops; op++) {
            if (!e->op[op].write)
                ret[e->op[op].complement]++;
        }
    }
}

static void add_test(const struct test *test, uint64_t seed, uint64_t addr, unsigned bit,
                     uint64_t ret[2])
{
    struct march march;
    uint64_t n[2];

    if (test->kind != TEST_MARCH)
        return;
    test_march(test, &march);
    count_ops(&march, n);
    for (uint32_t round = 0; round < test->rounds; round++) {
        struct data data = test_data(test, round, seed);
        unsigned value = data_word(&data, addr) >> bit & 1;

        ret[value] += n[0];
        ret[!value] += n[1];
    }
}

/*
 * ret[b]: reads by marches, while the bit (0-63) of the word at addr is to be b. A stuck cell is
 * wrong each time that it is to be the other, whatever the data.
 */
static void reads_of(const struct kind_reads *reads, uint64_t addr, unsigned bit, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t pass = 0; pass < reads->passes; pass++) {
        for (size_t i = 0; i < reads->tests->n_tests; i++)
            add_test(&reads->tests->test[i], reads->seed + pass, addr, bit, ret);
    }
}

/* Of the reads that a stuck cell would spoil, of the lowest bit that was wrong. */
static unsigned rate_of(const struct kind_reads *reads, const struct kind_word *w)
{
    unsigned bit = (unsigned)__builtin_ctzll(kind_word_bits(w));
    uint64_t n[2], spoilt = 0;

    reads_of(reads, w->addr, bit, n);
    spoilt += w->rises >> bit & 1 ? n[0] : 0;
    spoilt += w->falls >> bit & 1 ? n[1] : 0;
    return spoilt ? (unsigned)min_u64(w->count * UINT64_C(100) / spoilt, 100) : 0;
}

void kind_repeats_make(const struct kind_input *input, const struct kind_words *words,
                       struct kind_repeats *ret)
{
    const struct kind_word *most = NULL;

    *ret = (struct kind_repeats){ .all_counted = input->n_faults <= input->n_records };
    count_tests(input, ret);
    count_retests(input, ret);
    for (size_t i = 0; i < words->n; i++) {
        ret->n_once += words->word[i].count <= 1;
        if (words->word[i].count > ret->most)
            most = &words->word[i];
        ret->most = (uint32_t)max_u64(ret->most, words->word[i].count);
    }
    if (most && ret->all_counted && input->reads.tests)
        ret->rate = rate_of(&input->reads, most);
}
