// SPDX-License-Identifier: MIT
/*
 * A part of line_ops_template.h: several operations on each line, on many lines at once or line
 * after line (struct line_sequence).
 */

#include <emmintrin.h> /* _mm_prefetch */

#include "sweep/line_pipeline.h"

/* One operation, or a flush, on n lines that are `apart` bytes apart. */
INLINE void batch_flush(const struct line *line, int64_t apart, uint64_t n, bool has_clflushopt)
{
    const char *at = (const char *)line;

    if (has_clflushopt) {
        for (; n; n--, at += apart)
            __asm__ volatile("clflushopt %0" : : "m"(*at) : "memory");
    } else {
        for (; n; n--, at += apart)
            __asm__ volatile("clflush %0" : : "m"(*at) : "memory");
    }
}

/*
 * Into the second level's cache. What is prefetched into the first level's takes one of its few
 * miss buffers until DRAM has answered, and distant lines were read at a third of the speed.
 */
INLINE void batch_prefetch(const struct line *line, int64_t apart, uint64_t n)
{
    const char *at = (const char *)line;

    for (; n; n--, at += apart)
        _mm_prefetch(at, _MM_HINT_T1);
}

INLINE void batch_read(const struct walk *first, int64_t apart, uint64_t n, bool complement,
                       enum walk_kind kind)
{
    vec flip = vec_all(ones_if(complement));
    struct walk w = *first;

    for (; n; n--, walk_by(&w, apart)) {
        struct vec_line value = line_flip(walk_data(&w, kind), flip);
        struct vec_line found = line_read(w.line);
        struct vec_line diff = line_difference(&found, &value, NULL);

        if (__builtin_expect(vec_nonzero(line_any(&diff)), 0))
            walk_report(&w, w.phys, complement, &diff);
    }
}

INLINE void batch_write(const struct walk *first, int64_t apart, uint64_t n, bool complement,
                        enum walk_kind kind)
{
    vec flip = vec_all(ones_if(complement));
    struct walk w = *first;

    for (; n; n--, walk_by(&w, apart)) {
        struct vec_line value = line_flip(walk_data(&w, kind), flip);

        line_write(w.line, &value);
    }
}

INLINE void batch_ops(const struct walk *w, int64_t apart, uint64_t n,
                      const struct line_stage *stage, enum walk_kind kind)
{
    for (uint32_t i = 0; i < stage->n_ops; i++) {
        if (stage->op[i].write)
            batch_write(w, apart, n, stage->op[i].complement, kind);
        else
            batch_read(w, apart, n, stage->op[i].complement, kind);
    }
}

/* A batch of the run, by its first line. */
INLINE struct walk walk_to(const struct walk *first, const struct line_pipeline *p,
                           struct line_place place)
{
    struct walk w = *first;

    walk_by(&w, line_pipeline_offset(p, place));
    return w;
}

/* A stage's batch of this slot. */
INLINE void walk_stage(const struct walk *first, const struct line_pipeline *p,
                       const struct line_stage *stage, bool has_clflushopt, enum walk_kind kind)
{
    struct walk w = walk_to(first, p, stage->at);
    uint64_t n = line_pipeline_lines(p, stage->at);

    if (stage->n_ops)
        batch_ops(&w, p->apart, n, stage, kind);
    else
        batch_flush(w.line, p->apart, n, has_clflushopt);
}

/* What all stages do at one time: those that began earlier first, so that stores are early. */
INLINE void walk_slot(const struct walk *first, struct line_pipeline *p, uint64_t slot,
                      bool has_clflushopt, enum walk_kind kind)
{
    for (uint32_t i = p->n_stages; i-- > 0;) {
        struct line_stage *stage = &p->stage[i];

        if (stage->prefetch && p->pace.ahead && line_pipeline_has(p, i, slot + p->pace.ahead)) {
            batch_prefetch(walk_to(first, p, stage->ahead).line, p->apart,
                           line_pipeline_lines(p, stage->ahead));
            line_pipeline_next(p, &stage->ahead);
        }
        if (line_pipeline_has(p, i, slot)) {
            walk_stage(first, p, stage, has_clflushopt, kind);
            line_pipeline_next(p, &stage->at);
        }
    }
}

INLINE void walk_pipeline(const struct walk *first, struct line_pipeline *p, bool has_clflushopt,
                          enum walk_kind kind)
{
    for (uint64_t slot = 0; slot < p->n_slots; slot++) {
        walk_slot(first, p, slot, has_clflushopt, kind);
        line_pipeline_fence(p);
    }
}

/* In one load: an emulator takes as long for each as for a word of the line. */
INLINE struct march_op load_op(const struct march_op *from)
{
    struct march_op op;
    uint64_t word;

    _Static_assert(sizeof(op) == sizeof(word), "one load");
    __asm__("mov %1, %0" : "=r"(word) : "m"(*from));
    __builtin_memcpy(&op, &word, sizeof(op));
    return op;
}

INLINE void line_serial(const struct walk *w, const struct line_sequence *sequence,
                        enum walk_kind kind)
{
    const struct march_op *end = sequence->op + sequence->n_ops;

    for (const struct march_op *next = sequence->op; next < end; next++) {
        struct march_op op = load_op(next);

        if (op.before == MARCH_FLUSH) {
            line_ops_wait_for_loads();
            batch_flush(w->line, 0, 1, sequence->has_clflushopt);
        }
        if (op.before != MARCH_NOTHING)
            line_ops_fence();
        if (op.write)
            batch_write(w, 0, 1, op.complement, kind);
        else
            batch_read(w, 0, 1, op.complement, kind);
    }
}

/* Line after line, in the same order. */
INLINE void walk_in_turn(const struct walk *first, uint64_t n_lines,
                         const struct line_sequence *sequence, enum walk_kind kind)
{
    struct walk row = *first;
    uint64_t n_rows = n_lines / sequence->n_lanes;
    int64_t apart = (int64_t)n_rows * row.step;

    for (; n_rows; n_rows--, walk_by(&row, row.step)) {
        struct walk w = row;

        for (uint64_t n = sequence->n_lanes; n; n--, walk_by(&w, apart))
            line_serial(&w, sequence, kind);
    }
}

#define DEFINE_SEQUENCE(name, kind)                                                                \
    LOOP void name##_in_turn(const struct line_run *run, const struct data *data,                  \
                             const struct line_sequence *sequence,                                 \
                             const struct line_faults *faults)                                     \
    {                                                                                              \
        struct walk w = walk_begin(run, data, kind, false, faults);                                \
                                                                                                   \
        walk_in_turn(&w, run->n_lines, sequence, kind);                                            \
    }                                                                                              \
                                                                                                   \
    LOOP void name(const struct line_run *run, const struct data *data,                            \
                   const struct line_sequence *sequence, const struct line_faults *faults)         \
    {                                                                                              \
        struct walk w = walk_begin(run, data, kind, false, faults);                                \
        struct line_pipeline p;                                                                    \
                                                                                                   \
        if (line_pipeline_make(run, sequence, &p))                                                 \
            walk_pipeline(&w, &p, sequence->has_clflushopt, kind);                                 \
        else                                                                                       \
            name##_in_turn(run, data, sequence, faults);                                           \
    }

EACH_KIND(DEFINE_SEQUENCE, sequence)

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    static void (*const loops[])(const struct line_run *, const struct data *,
                                 const struct line_sequence *, const struct line_faults *) =
        KIND_TABLE(sequence);

    loops[walk_kind(data)](run, data, ops, faults);
}
