// SPDX-License-Identifier: MIT
/*
 * The loops of all line operations, written once. A lines_*.c file defines what follows and then
 * includes this file, which defines one struct line_ops.
 *
 *   LINES_TABLE, LINES_NAME   the table's C name and its name for people
 *   LINES_ALIGN               of each loop's code, in bytes
 *   LINES_GROUP               lines between two tests for a mismatch: what the registers hold
 *   LINES_BLOCK               lines that the innermost loop of pure reads goes over, at most
 *   VEC_WORDS                 64-bit words in a vec
 *   vec                       the vector type, and on it, all static inline:
 *   vec_load(const uint64_t *)           exactly one load instruction (volatile)
 *   vec_stream(uint64_t *, vec)          exactly one non-temporal store
 *   vec_constant(const uint64_t *)       from data of our own
 *   vec_all(uint64_t)                    the word in all places
 *   vec_xor, vec_or                      bitwise
 *   vec_multiply(vec, vec)               word by word, the low halves: 32 x 32 -> 64 bits
 *   vec_swap(vec)                        the halves of each word exchanged
 *   vec_nonzero(vec)                     whether any bit is set
 *
 * With LINES_SPARE, where a line and a background take more registers than there are:
 *
 *   vec_spare                            a register of another kind
 *   vec_put_aside(vec)                   into one
 *   vec_xor_aside(vec, vec_spare)        bitwise
 */

#include <stddef.h>
#include <emmintrin.h> /* _mm_prefetch */

#include "lib/minmax.h"
#include "sweep/line_pipeline.h"

#define VECS   (8 / VEC_WORDS) /* vectors in a line */
#define INLINE static inline __attribute__((always_inline))
#define LOOP   static __attribute__((noinline, aligned(LINES_ALIGN)))

/* How many lines ahead a run of reads prefetches: a DRAM latency at full bandwidth, with room. */
#define LINES_AHEAD 64

#ifndef LINES_SPARE
typedef vec vec_spare;

INLINE vec_spare vec_put_aside(vec v)
{
    return v;
}

INLINE vec vec_xor_aside(vec a, vec_spare b)
{
    return vec_xor(a, b);
}
#endif

/* Each loop is compiled once for each of these, which are constants in it. */
enum walk_kind {
    WALK_UNIFORM, /* a background of eight equal words: it takes one register */
    WALK_BACKGROUND,
    WALK_ADDRESS,
    WALK_RANDOM,
};

struct vec_line {
    vec v[VECS];
};

/* Where a loop is, and what is the same for all its lines. */
struct walk {
    struct line *line;
    uint64_t phys;
    int64_t step;  /* bytes to the next line */
    int64_t ahead; /* bytes to the line to prefetch */
    uint64_t key;
    vec flip; /* all ones: the complement of address and random data */
    struct vec_line background;
    vec_spare aside[VECS]; /* the same, of WALK_BACKGROUND */
    const struct data *data;
    bool complement;
    const struct line_faults *faults;
};

static enum walk_kind walk_kind(const struct data *data)
{
    const uint64_t *word = data->background.word;

    if (data->kind == DATA_ADDRESS)
        return WALK_ADDRESS;
    if (data->kind == DATA_RANDOM)
        return WALK_RANDOM;
    for (size_t i = 1; i < 8; i++) {
        if (word[i] != word[0])
            return WALK_BACKGROUND;
    }
    return WALK_UNIFORM;
}

INLINE uint64_t ones_if(bool condition)
{
    return -(uint64_t)condition;
}

INLINE struct walk walk_begin(const struct line_run *run, const struct data *data,
                              enum walk_kind kind, bool complement,
                              const struct line_faults *faults)
{
    uint64_t flip = ones_if(complement);
    struct walk w = {
        .line = run->first,
        .phys = run->phys,
        .step = run->down ? -(int64_t)sizeof(struct line) : (int64_t)sizeof(struct line),
        .key = data->key,
        .flip = vec_all(flip),
        .data = data,
        .complement = complement,
        .faults = faults,
    };

    if (kind == WALK_UNIFORM)
        w.background.v[0] = vec_all(data->background.word[0] ^ flip);
    if (kind == WALK_BACKGROUND) {
#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++) {
            w.background.v[i] =
                vec_xor(vec_constant(&data->background.word[i * VEC_WORDS]), w.flip);
            w.aside[i] = vec_put_aside(w.background.v[i]);
        }
    }
    return w;
}

INLINE void walk_by(struct walk *w, int64_t bytes)
{
    w->line = (struct line *)((char *)w->line + bytes);
    w->phys += (uint64_t)bytes;
}

/* What the line at hand should hold. */
INLINE struct vec_line walk_data(const struct walk *w, enum walk_kind kind)
{
    struct vec_line d = w->background;

    if (kind == WALK_UNIFORM) {
#pragma GCC unroll 8
        for (size_t i = 1; i < VECS; i++)
            d.v[i] = d.v[0];
    }
    if (kind == WALK_ADDRESS) {
        vec base = vec_xor(vec_all(data_address_hash(w->phys, w->key)), w->flip);

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++)
            d.v[i] = vec_xor(base, vec_constant(&DATA_ADDRESS_WORDS.word[i * VEC_WORDS]));
    }
    if (kind == WALK_RANDOM) {
        uint64_t hash = data_random_hash(w->phys, w->key);
        vec low = vec_all(hash), high = vec_all(hash >> 32);

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++) {
            vec a = vec_multiply(low, vec_constant(&DATA_RANDOM_A.word[i * VEC_WORDS]));
            vec b = vec_multiply(high, vec_constant(&DATA_RANDOM_B.word[i * VEC_WORDS]));

            d.v[i] = vec_xor(vec_xor(a, vec_swap(b)), w->flip);
        }
    }
    return d;
}

INLINE struct vec_line line_flip(struct vec_line value, vec flip)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        value.v[i] = vec_xor(value.v[i], flip);
    return value;
}

/* The compiler moves no earlier read behind a line's stores, no later one before them. */
INLINE void line_write(struct line *line, const struct vec_line *value)
{
    __asm__ volatile("" : : : "memory");
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        vec_stream(&line->word[i * VEC_WORDS], value->v[i]);
    __asm__ volatile("" : : : "memory");
}

/* All loads come before all arithmetic: an emulator writes its registers back at every load. */
INLINE struct vec_line line_read(const struct line *line)
{
    struct vec_line value;

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        value.v[i] = vec_load(&line->word[i * VEC_WORDS]);
    return value;
}

/* aside: unless NULL, what is expected is there. */
INLINE struct vec_line line_difference(const struct vec_line *found,
                                       const struct vec_line *expected, const vec_spare *aside)
{
    struct vec_line diff;

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        diff.v[i] =
            aside ? vec_xor_aside(found->v[i], aside[i]) : vec_xor(found->v[i], expected->v[i]);
    return diff;
}

/* Zero if nothing differs. */
INLINE vec line_any(const struct vec_line *diff)
{
    vec any = diff->v[0];

#pragma GCC unroll 8
    for (size_t i = 1; i < VECS; i++)
        any = vec_or(any, diff->v[i]);
    return any;
}

INLINE void walk_report(const struct walk *w, uint64_t phys, bool complement,
                        const struct vec_line *diff)
{
    struct line differs;

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        __builtin_memcpy(&differs.word[i * VEC_WORDS], &diff->v[i], sizeof(vec));
    line_ops_report(w->faults, w->data, phys, complement, &differs);
}

/* n lines, whose differences stay in registers until one test for all of them. */
INLINE void walk_group(struct walk *w, vec write_flip, enum walk_kind kind, bool read, bool write,
                       size_t n)
{
    struct vec_line diff[LINES_GROUP];
    uint64_t phys = w->phys;
    vec any = vec_all(0);

#pragma GCC unroll 8
    for (size_t k = 0; k < n; k++) {
        struct vec_line value = walk_data(w, kind);

        if (read && !write)
            _mm_prefetch((const char *)w->line + w->ahead, _MM_HINT_T0);
        if (read) {
            struct vec_line found = line_read(w->line);
            bool aside = kind == WALK_BACKGROUND && !write;

            diff[k] = line_difference(&found, &value, aside ? w->aside : NULL);
            any = k ? vec_or(any, line_any(&diff[k])) : line_any(&diff[k]);
        }
        if (read && write)
            value = line_flip(value, write_flip);
        if (write)
            line_write(w->line, &value);
        walk_by(w, w->step);
    }
    if (read && __builtin_expect(vec_nonzero(any), 0)) {
#pragma GCC unroll 8
        for (size_t k = 0; k < n; k++)
            walk_report(w, phys + k * (uint64_t)w->step, w->complement, &diff[k]);
    }
}

INLINE void walk_lines(struct walk *w, vec write_flip, enum walk_kind kind, bool read, bool write,
                       uint64_t n)
{
    for (; n >= LINES_GROUP; n -= LINES_GROUP)
        walk_group(w, write_flip, kind, read, write, LINES_GROUP);
    for (; n; n--)
        walk_group(w, write_flip, kind, read, write, 1);
}

/*
 * The loop behind fill and verify. Pure reads prefetch, but nothing outside the run: for the last
 * lines the one at hand. Reads among writes do not: each comes in its turn.
 */
INLINE void walk_run(const struct line_run *run, const struct data *data, bool complement,
                     const struct line_faults *faults, enum walk_kind kind, bool read)
{
    struct walk w = walk_begin(run, data, kind, complement, faults);

    for (uint64_t left = run->n_lines, n; left; left -= n) {
        bool far = read && left > LINES_AHEAD;

        n = far ? left - LINES_AHEAD : left;
        if (read)
            n = min_u64(n, LINES_BLOCK);
        w.ahead = far ? LINES_AHEAD * w.step : 0;
        walk_lines(&w, vec_all(0), kind, read, !read, n);
    }
}

INLINE void walk_verify_write(const struct line_run *run, const struct data *data,
                              bool read_complement, bool write_complement,
                              const struct line_faults *faults, enum walk_kind kind)
{
    struct walk w = walk_begin(run, data, kind, read_complement, faults);
    vec write_flip = vec_all(ones_if(read_complement != write_complement));
    uint64_t length = run->n_lines / LINE_OPS_LANES;
    int64_t to_lane = (int64_t)(length - LINE_OPS_TURN) * w.step;
    int64_t to_turn = -(int64_t)(run->n_lines - LINE_OPS_TURN) * w.step;

    for (uint64_t turns = length / LINE_OPS_TURN; turns; turns--) {
        for (uint64_t k = LINE_OPS_LANES; k; k--) {
            walk_lines(&w, write_flip, kind, true, true, LINE_OPS_TURN);
            walk_by(&w, to_lane);
        }
        walk_by(&w, to_turn);
    }
}

/* One loop for each kind of data, and the table of them. */
#define DEFINE_RUNS(name, read)                                                                    \
    DEFINE_RUN(name##_uniform, WALK_UNIFORM, read)                                                 \
    DEFINE_RUN(name##_background, WALK_BACKGROUND, read)                                           \
    DEFINE_RUN(name##_address, WALK_ADDRESS, read)                                                 \
    DEFINE_RUN(name##_random, WALK_RANDOM, read)                                                   \
    static void (*const name##_runs[])(const struct line_run *, const struct data *, bool,         \
                                       const struct line_faults *) = {                             \
        [WALK_UNIFORM] = name##_uniform,                                                           \
        [WALK_BACKGROUND] = name##_background,                                                     \
        [WALK_ADDRESS] = name##_address,                                                           \
        [WALK_RANDOM] = name##_random,                                                             \
    }

#define DEFINE_RUN(name, kind, read)                                                               \
    LOOP void name(const struct line_run *run, const struct data *data, bool complement,           \
                   const struct line_faults *faults)                                               \
    {                                                                                              \
        walk_run(run, data, complement, faults, kind, read);                                       \
    }

#define DEFINE_VERIFY_WRITE(name, kind)                                                            \
    LOOP void name(const struct line_run *run, const struct data *data, bool read_complement,      \
                   bool write_complement, const struct line_faults *faults)                        \
    {                                                                                              \
        walk_verify_write(run, data, read_complement, write_complement, faults, kind);             \
    }

DEFINE_RUNS(fill, false);
DEFINE_RUNS(verify, true);
DEFINE_VERIFY_WRITE(verify_write_uniform, WALK_UNIFORM)
DEFINE_VERIFY_WRITE(verify_write_background, WALK_BACKGROUND)
DEFINE_VERIFY_WRITE(verify_write_address, WALK_ADDRESS)
DEFINE_VERIFY_WRITE(verify_write_random, WALK_RANDOM)

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    fill_runs[walk_kind(data)](run, data, complement, NULL);
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    verify_runs[walk_kind(data)](run, data, complement, faults);
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    static void (*const loops[])(const struct line_run *, const struct data *, bool, bool,
                                 const struct line_faults *) = {
        [WALK_UNIFORM] = verify_write_uniform,
        [WALK_BACKGROUND] = verify_write_background,
        [WALK_ADDRESS] = verify_write_address,
        [WALK_RANDOM] = verify_write_random,
    };

    loops[walk_kind(data)](run, data, read_complement, write_complement, faults);
}

/* One operation, or a flush, on n lines that are so many bytes apart. */
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
 * miss buffers until DRAM has answered, and lines far apart were read at a third of the speed.
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

INLINE void line_in_turn(const struct walk *w, const struct line_sequence *sequence,
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
            line_in_turn(&w, sequence, kind);
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

DEFINE_SEQUENCE(sequence_uniform, WALK_UNIFORM)
DEFINE_SEQUENCE(sequence_background, WALK_BACKGROUND)
DEFINE_SEQUENCE(sequence_address, WALK_ADDRESS)
DEFINE_SEQUENCE(sequence_random, WALK_RANDOM)

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    static void (*const loops[])(const struct line_run *, const struct data *,
                                 const struct line_sequence *, const struct line_faults *) = {
        [WALK_UNIFORM] = sequence_uniform,
        [WALK_BACKGROUND] = sequence_background,
        [WALK_ADDRESS] = sequence_address,
        [WALK_RANDOM] = sequence_random,
    };

    loops[walk_kind(data)](run, data, ops, faults);
}

const struct line_ops LINES_TABLE = {
    .name = LINES_NAME,
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};
