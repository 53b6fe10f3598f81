// SPDX-License-Identifier: MIT
/*
 * Faulty cells for tests of code that also reaches memory without line operations: a table of line
 * operations that gives the cells their faulty value whenever the code under test has written lines
 * or is about to check some.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sweep/line_ops.h"

struct faulty {
    uint64_t *word;
    uint64_t bit;
    uint64_t trigger;      /* FAULTY_ONE_VALUE: the value that it cannot hold */
    const uint64_t *other; /* FAULTY_READS_WRONG: the word whose bit must be set */
    uint64_t shown;        /* FAULTY_READS_WRONG: what it shows, and what it then holds */
    uint64_t true_value;
    enum {
        FAULTY_STUCK0,
        FAULTY_STUCK1,
        FAULTY_ONE_VALUE,
        FAULTY_READS_WRONG,
        FAULTY_READ_SETS
    } kind;
};

static struct faulty_ops {
    const struct line_ops *ops;
    struct faulty *faulty;
    size_t n;
    unsigned n_fills;
} faulty_ops;

static void faulty_apply(struct faulty *h)
{
    switch (h->kind) {
    case FAULTY_STUCK0: *h->word &= ~h->bit; break;
    case FAULTY_STUCK1: *h->word |= h->bit; break;
    case FAULTY_ONE_VALUE:
        if (*h->word == h->trigger)
            *h->word ^= h->bit;
        break;
    case FAULTY_READS_WRONG:
        if (*h->word != h->shown)
            h->true_value = *h->word;
        h->shown = h->true_value ^ (*h->other & h->bit);
        *h->word = h->shown;
        break;
    case FAULTY_READ_SETS: break; /* see faulty_verify */
    }
}

static void apply_all(void)
{
    for (size_t i = 0; i < faulty_ops.n; i++)
        faulty_apply(&faulty_ops.faulty[i]);
}

static void faulty_fill(const struct line_run *run, const struct data *data, bool complement)
{
    faulty_ops.ops->fill(run, data, complement);
    line_ops_fence();
    apply_all();
    faulty_ops.n_fills++;
}

static void faulty_verify(const struct line_run *run, const struct data *data, bool complement,
                          const struct line_faults *faults)
{
    apply_all();
    faulty_ops.ops->verify(run, data, complement, faults);
    for (size_t i = 0; i < faulty_ops.n; i++) {
        struct faulty *h = &faulty_ops.faulty[i];

        if (h->kind == FAULTY_READ_SETS && h->word >= run->first->word &&
            h->word < run->first[run->n_lines].word)
            *h->word |= h->bit;
    }
}

static const struct line_ops faulty_line_ops = {
    .name = "faulty_line_ops",
    .fill = faulty_fill,
    .verify = faulty_verify,
};
