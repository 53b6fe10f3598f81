// SPDX-License-Identifier: MIT
/*
 * A part of line_ops_template.h, which says what is to be defined before: a line, what it should
 * hold, its reading, writing and comparing, and the walk from line to line.
 */

#include <stddef.h>

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
    if (kind == WALK_ADDRESS) {
        vec base = vec_all(data_address_hash(w->phys, w->key)) ^ w->flip;

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++)
            d.v[i] = base ^ vec_constant(&DATA_ADDRESS_WORDS.word[i * VEC_WORDS]);
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
