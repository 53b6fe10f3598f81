// SPDX-License-Identifier: MIT
/*
 * The loops of all line operations, written once. A line_ops_*.c file defines what follows and then
 * includes this file, which defines one struct line_ops: a line, what it should hold, its reading,
 * writing and comparing; the walk from line to line; the loops. Several operations on each line
 * are in line_sequence_template.h.
 *
 *   LINES_TABLE, LINES_NAME   the table's C name and its name for people
 *   LINES_ALIGN               of each loop's code, in bytes
 *   LINES_GROUP               lines between two tests for a mismatch: what the registers hold
 *   LINES_BLOCK               lines that the innermost loop of pure reads goes over, at most
 *   VEC_WORDS                 64-bit words in a vec
 *   vec                       a vector type of 64-bit words, and on it, all static inline:
 *   vec_stream(uint64_t *, vec)          exactly one non-temporal store
 *   vec_all(uint64_t)                    the word in all places
 *   vec_multiply(vec, vec)               word by word, the low halves: 32 x 32 -> 64 bits
 *   vec_swap(vec)                        the halves of each word exchanged
 *   vec_nonzero(vec)                     whether any bit is set
 *
 * With LINES_SPARE, where a line and a background take more registers than there are:
 *
 *   vec_spare                            a register of another kind
 *   vec_to_spare(vec)                    into one
 *   vec_xor_spare(vec, vec_spare)        bitwise
 */

#include <emmintrin.h> /* _mm_prefetch */
#include <stddef.h>

#include "lib/minmax.h"

/* How many lines ahead a run of reads prefetches: a DRAM latency at full bandwidth, with room. */
#define LINES_AHEAD 64

#define VECS   (8 / VEC_WORDS) /* vectors in a line */
#define INLINE static inline __attribute__((always_inline))
#define LOOP   static __attribute__((noinline, aligned(LINES_ALIGN)))

/* Exactly one load instruction. */
INLINE vec vec_load(const uint64_t *from)
{
    return *(const volatile vec *)from;
}

/* From data of our own. */
INLINE vec vec_constant(const uint64_t *from)
{
    return *(const vec *)from;
}

#ifndef LINES_SPARE
typedef vec vec_spare;

INLINE vec_spare vec_to_spare(vec v)
{
    return v;
}

INLINE vec vec_xor_spare(vec a, vec_spare b)
{
    return a ^ b;
}
#endif

/* Each loop is compiled once for each of these, which are constants in it. */
enum walk_kind {
    WALK_UNIFORM, /* a background of eight equal words: it takes one register */
    WALK_BACKGROUND,
    WALK_ADDRESS,
    WALK_TOGGLES,
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
    vec flip;                   /* all ones: the complement of random data */
    struct vec_line background; /* of address data what differs between a line's words */
    vec_spare aside[VECS];      /* the same, of WALK_BACKGROUND */
    const struct data *data;
    bool complement;
    const struct line_faults *faults;
};

static enum walk_kind walk_kind(const struct data *data)
{
    const uint64_t *word = data->background.word;

    if (data->kind == DATA_ADDRESS)
        return WALK_ADDRESS;
    if (data->kind == DATA_TOGGLES)
        return WALK_TOGGLES;
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
    if (kind == WALK_BACKGROUND || kind == WALK_ADDRESS || kind == WALK_TOGGLES) {
#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++) {
            w.background.v[i] = vec_constant(&data->background.word[i * VEC_WORDS]) ^ w.flip;
            w.aside[i] = vec_to_spare(w.background.v[i]);
        }
    }
    return w;
}

INLINE void walk_by(struct walk *w, int64_t bytes)
{
    w->line = (struct line *)((char *)w->line + bytes);
    w->phys += (uint64_t)bytes;
}

/* What the current line should hold. */
INLINE struct vec_line walk_data(const struct walk *w, enum walk_kind kind)
{
    struct vec_line d = w->background;

    if (kind == WALK_UNIFORM) {
#pragma GCC unroll 8
        for (size_t i = 1; i < VECS; i++)
            d.v[i] = d.v[0];
    }
    if (kind == WALK_ADDRESS || kind == WALK_TOGGLES) {
        vec base = vec_all(kind == WALK_ADDRESS ? data_address_hash(w->phys, w->key)
                                                : data_random_hash(w->phys, w->key));

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++)
            d.v[i] ^= base;
    }
    if (kind == WALK_RANDOM) {
        uint64_t hash = data_random_hash(w->phys, w->key);
        vec low = vec_all(hash), high = vec_all(hash >> 32);

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++) {
            vec a = vec_multiply(low, vec_constant(&DATA_RANDOM_A.word[i * VEC_WORDS]));
            vec b = vec_multiply(high, vec_constant(&DATA_RANDOM_B.word[i * VEC_WORDS]));

            d.v[i] = a ^ vec_swap(b) ^ w->flip;
        }
    }
    return d;
}

INLINE struct vec_line line_flip(struct vec_line value, vec flip)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        value.v[i] ^= flip;
    return value;
}

/* The compiler moves no earlier read past a line's stores, and no later one before them. */
INLINE void line_write(struct line *line, const struct vec_line *value)
{
    __asm__ volatile("" : : : "memory");
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        vec_stream(&line->word[i * VEC_WORDS], value->v[i]);
    __asm__ volatile("" : : : "memory");
}

/* All loads come before all arithmetic: QEMU spills its registers at every load. */
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
            aside ? vec_xor_spare(found->v[i], aside[i]) : (vec)(found->v[i] ^ expected->v[i]);
    return diff;
}

/* Zero if nothing differs. */
INLINE vec line_any(const struct vec_line *diff)
{
    vec any = diff->v[0];

#pragma GCC unroll 8
    for (size_t i = 1; i < VECS; i++)
        any |= diff->v[i];
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
            any = k ? (vec)(any | line_any(&diff[k])) : line_any(&diff[k]);
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
 * lines the current one. Reads among writes do not: each comes in its turn.
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
    bool has_lanes = run->n_lines % (LINE_OPS_LANES * LINE_OPS_TURN) == 0;
    uint64_t n_lanes = has_lanes ? LINE_OPS_LANES : 1, length = run->n_lines / n_lanes;
    uint64_t turn = has_lanes ? LINE_OPS_TURN : length;
    int64_t to_lane = (int64_t)(length - turn) * w.step;
    int64_t to_turn = -(int64_t)(run->n_lines - turn) * w.step;

    for (uint64_t done = 0; done < length; done += turn) {
        for (uint64_t k = n_lanes; k; k--) {
            walk_lines(&w, write_flip, kind, true, true, turn);
            walk_by(&w, to_lane);
        }
        walk_by(&w, to_turn);
    }
}

/* One loop for each kind of data, and the table of them. */
#define EACH_KIND(DEFINE, name, ...)                                                               \
    DEFINE(name##_uniform, WALK_UNIFORM, ##__VA_ARGS__)                                            \
    DEFINE(name##_background, WALK_BACKGROUND, ##__VA_ARGS__)                                      \
    DEFINE(name##_address, WALK_ADDRESS, ##__VA_ARGS__)                                            \
    DEFINE(name##_toggles, WALK_TOGGLES, ##__VA_ARGS__)                                            \
    DEFINE(name##_random, WALK_RANDOM, ##__VA_ARGS__)

#define KIND_TABLE(name)                                                                           \
    {                                                                                              \
        [WALK_UNIFORM] = name##_uniform, [WALK_BACKGROUND] = name##_background,                    \
        [WALK_ADDRESS] = name##_address, [WALK_TOGGLES] = name##_toggles,                          \
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

EACH_KIND(DEFINE_RUN, fill, false)
EACH_KIND(DEFINE_RUN, verify, true)
EACH_KIND(DEFINE_VERIFY_WRITE, verify_write)

typedef void run_function(const struct line_run *, const struct data *, bool,
                          const struct line_faults *);

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    static run_function *const loops[] = KIND_TABLE(fill);

    loops[walk_kind(data)](run, data, complement, NULL);
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    static run_function *const loops[] = KIND_TABLE(verify);

    loops[walk_kind(data)](run, data, complement, faults);
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    static void (*const loops[])(const struct line_run *, const struct data *, bool, bool,
                                 const struct line_faults *) = KIND_TABLE(verify_write);

    loops[walk_kind(data)](run, data, read_complement, write_complement, faults);
}

static void mix(struct line *lines, size_t n)
{
    for (uint64_t *word = lines->word; word < lines[n].word; word += VEC_WORDS) {
        vec v = vec_load(word), swapped = vec_swap(v);

        *(volatile vec *)word = vec_multiply(v, swapped) ^ swapped;
    }
}

#include "sweep/line_sequence_template.h"

const struct line_ops LINES_TABLE = {
    .name = LINES_NAME,
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
    .mix = mix,
};
