// SPDX-License-Identifier: MIT
#include "kind/kind_words.h"

#include "lib/minmax.h"
#include "lib/sort.h"

static struct kind_word word_of(const struct fault *f, uint32_t count)
{
    return (struct kind_word){ .addr = f->addr,
                               .rises = f->found & ~f->expected,
                               .falls = f->expected & ~f->found,
                               .count = count };
}

static bool is_below(const void *ctx, const void *a, const void *b)
{
    return ((const struct kind_word *)a)->addr < ((const struct kind_word *)b)->addr;
}

static void merge_equal(struct kind_words *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++) {
        struct kind_word *last = n ? &w->word[n - 1] : NULL;

        if (!last || last->addr != w->word[i].addr) {
            w->word[n++] = w->word[i];
            continue;
        }
        last->rises |= w->word[i].rises;
        last->falls |= w->word[i].falls;
        last->count += w->word[i].count;
    }
    w->n = n;
}

void kind_words_make(struct kind_words *ret, const struct fault *record, size_t n_records,
                     const struct fault *sample, size_t n_sample)
{
    ret->n = 0;
    for (size_t i = 0; i < min_u64(n_records, FAULT_RECORDS); i++)
        ret->word[ret->n++] = word_of(&record[i], 1);
    for (size_t i = 0; i < min_u64(n_sample, FAULT_SAMPLE_MAX); i++)
        ret->word[ret->n++] = word_of(&sample[i], 0);
    sort(ret->word, ret->n, sizeof(ret->word[0]), is_below, NULL);
    merge_equal(ret);
}
