// SPDX-License-Identifier: MIT
/*
 * Holes for tests of code that also reaches memory without line operations. They live in a table
 * of line operations: their cells are given their faulty value whenever the code under test has
 * written lines or is about to check some.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sweep/line_ops.h"

struct hole {
    uint64_t *word;
    uint64_t bit;
    uint64_t trigger;      /* HOLE_ONE_VALUE: the value that it cannot hold */
    const uint64_t *other; /* HOLE_READS_WRONG: the word whose bit must be set */
    uint64_t shown;        /* HOLE_READS_WRONG: what it shows, and what it then holds */
    uint64_t true_value;
    enum { HOLE_STUCK0, HOLE_STUCK1, HOLE_ONE_VALUE, HOLE_READS_WRONG, HOLE_READ_SETS } kind;
};

static struct holes {
    const struct line_ops *ops;
    struct hole *hole;
    size_t n;
    unsigned n_fills;
} holes;

static void hole_apply(struct hole *h)
{
    switch (h->kind) {
    case HOLE_STUCK0:
        *h->word &= ~h->bit;
        break;
    case HOLE_STUCK1:
        *h->word |= h->bit;
        break;
    case HOLE_ONE_VALUE:
        if (*h->word == h->trigger)
            *h->word ^= h->bit;
        break;
    case HOLE_READS_WRONG:
        if (*h->word != h->shown)
            h->true_value = *h->word;
        h->shown = h->true_value ^ (*h->other & h->bit);
        *h->word = h->shown;
        break;
    case HOLE_READ_SETS:
        break; /* see holey_verify */
    }
}

static void holes_apply(void)
{
    for (size_t i = 0; i < holes.n; i++)
        hole_apply(&holes.hole[i]);
}

static void holey_fill(const struct line_run *run, const struct data *data, bool complement)
{
    holes.ops->fill(run, data, complement);
    line_ops_fence();
    holes_apply();
    holes.n_fills++;
}

static void holey_verify(const struct line_run *run, const struct data *data, bool complement,
                         const struct line_faults *faults)
{
    holes_apply();
    holes.ops->verify(run, data, complement, faults);
    for (size_t i = 0; i < holes.n; i++) {
        struct hole *h = &holes.hole[i];

        if (h->kind == HOLE_READ_SETS && h->word >= run->first->word &&
            h->word < run->first[run->n_lines].word)
            *h->word |= h->bit;
    }
}

static const struct line_ops holey = {
    .name = "holey",
    .fill = holey_fill,
    .verify = holey_verify,
};
