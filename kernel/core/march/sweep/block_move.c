// SPDX-License-Identifier: MIT
#include "sweep/block_move.h"

#include "lib/minmax.h"
#include "lib/panic.h"

#define SLICE_LINES    (SWEEP_SMALL_SLICE / sizeof(struct line))
#define WORD_BITS      64
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define HALVES_OF_STEP 7 /* fill: 2; check sources: 1; move: 2; check both: 2 */

/* Of each distance two steps, so that each place is source and destination. */
static const struct step {
    uint64_t block_lines;
    bool down;     /* the upper block of each pair is moved onto the lower one */
    bool backward; /* the highest word first */
    bool complement;
} steps[] = {
    { SLICE_LINES / 2, false, false, false },  { SLICE_LINES / 2, true, true, false },
    { SLICE_LINES / 16, false, true, true },   { SLICE_LINES / 16, true, false, true },
    { SLICE_LINES / 128, false, true, false }, { SLICE_LINES / 128, true, false, false },
};
_Static_assert(COUNT(steps) * HALVES_OF_STEP == 2 * BLOCK_MOVE_SWEEPS, "what progress counts");

/* A block and the one that it is moved onto. */
struct pair {
    struct line_run from, to;
};

/* One step on a slice. */
struct move {
    const struct sweep *sweep;
    const struct data *data;
    const struct step *step;
    struct slice slice;
    uint64_t distance;                       /* of the current pair, from source up, modulo 2^64 */
    uint64_t wrong[SLICE_LINES / WORD_BITS]; /* a bit for each line whose source was wrong */
};

static struct line_run run_of(struct slice slice, uint64_t first, uint64_t n_lines)
{
    return (struct line_run){
        .first = slice.virt + first,
        .phys = slice.phys + first * sizeof(struct line),
        .n_lines = n_lines,
    };
}

/* The pair that begins at a line of the slice: whole blocks while there are, then smaller ones. */
static struct pair pair_at(const struct move *m, uint64_t first)
{
    uint64_t half = (m->slice.n_lines - first) / 2;
    uint64_t n = min_u64(half, m->step->block_lines);
    struct line_run low = run_of(m->slice, first, n), high = run_of(m->slice, first + n, n);

    return m->step->down ? (struct pair){ .from = high, .to = low }
                         : (struct pair){ .from = low, .to = high };
}

static uint64_t line_number(const struct move *m, uint64_t phys)
{
    return (phys - m->slice.phys) / sizeof(struct line);
}

static void report_source(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct move *m = ctx;
    const struct line_faults *faults = &m->sweep->faults;
    uint64_t line = line_number(m, phys);

    m->wrong[line / WORD_BITS] |= UINT64_C(1) << line % WORD_BITS;
    faults->report(faults->ctx, phys, expected, found);
}

/* phys is the source's: it is the source's data that a destination is compared with. */
static void report_destination(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct move *m = ctx;
    const struct line_faults *faults = &m->sweep->faults;
    uint64_t line = line_number(m, phys);

    if (!(m->wrong[line / WORD_BITS] >> line % WORD_BITS & 1))
        faults->report(faults->ctx, phys + m->distance, expected, found);
}

static void verify_source(struct move *m, const struct pair *pair)
{
    struct line_faults faults = { .report = report_source, .ctx = m };

    m->sweep->ops->verify(&pair->from, m->data, m->step->complement, &faults);
}

static void verify_destination(struct move *m, const struct pair *pair)
{
    struct line_faults faults = { .report = report_destination, .ctx = m };
    struct line_run run = pair->to;

    run.phys = pair->from.phys;
    m->distance = pair->to.phys - pair->from.phys;
    m->sweep->ops->verify(&run, m->data, m->step->complement, &faults);
}

static void copy(struct line *to, const struct line *from, uint64_t n_lines, bool backward)
{
    uint64_t n_words = n_lines * 8;
    uint64_t *to_word = to->word;
    const uint64_t *from_word = from->word;

    if (backward) {
        to_word += n_words - 1;
        from_word += n_words - 1;
        __asm__ volatile("std\n\trep movsq\n\tcld"
                         : "+D"(to_word), "+S"(from_word), "+c"(n_words)
                         :
                         : "memory", "cc");
    } else {
        __asm__ volatile("rep movsq" : "+D"(to_word), "+S"(from_word), "+c"(n_words) : : "memory");
    }
}

/* Flushes are not ordered with older loads: sweep/line_ops.h. */
static void flush(const struct move *m, const struct line_run *run)
{
    line_ops_fence();
    line_ops_flush(run, m->sweep->has_clflushopt);
}

static void move_block(const struct move *m, const struct pair *pair)
{
    flush(m, &pair->from);
    copy(pair->to.first, pair->from.first, pair->from.n_lines, m->step->backward);
    flush(m, &pair->from);
    flush(m, &pair->to);
}

static void do_step(struct move *m)
{
    struct line_run all = run_of(m->slice, 0, m->slice.n_lines);
    uint64_t n_paired = m->slice.n_lines & ~UINT64_C(1);
    struct pair pair;

    m->sweep->ops->fill(&all, m->data, m->step->complement);
    line_ops_fence();
    for (uint64_t i = 0; i < n_paired; i += 2 * pair.from.n_lines) {
        pair = pair_at(m, i);
        verify_source(m, &pair);
    }
    for (uint64_t i = 0; i < n_paired; i += 2 * pair.from.n_lines) {
        pair = pair_at(m, i);
        move_block(m, &pair);
    }
    for (uint64_t i = 0; i < n_paired; i += 2 * pair.from.n_lines) {
        pair = pair_at(m, i);
        verify_source(m, &pair);
        verify_destination(m, &pair);
    }
    line_ops_fence();
}

void block_move(const struct sweep *sweep, const struct data *data, struct slice slice)
{
    ASSERT(slice.n_lines <= SLICE_LINES);
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct move move = { .sweep = sweep, .data = data, .step = &steps[i], .slice = slice };

        do_step(&move);
    }
}
