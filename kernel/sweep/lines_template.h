/*
 * The loops of all line operations, written once. A lines_*.c file defines what follows and then
 * includes this file, which defines one struct line_ops.
 *
 *   LINES_TABLE, LINES_NAME   the table's C name and its name for people
 *   LINES_GROUP               lines between two tests for a mismatch: what the registers hold
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
 */

#include <stddef.h>

#define VECS    (8 / VEC_WORDS) /* vectors in a line */
#define INLINE  static inline __attribute__((always_inline))
#define COLD    static __attribute__((noinline, cold))
#define UNROLL  _Pragma("GCC unroll 8")

struct vec_line {
    vec v[VECS];
};

/* Where the loop is, and what is the same for all its lines. */
struct walk {
    struct line *line;
    uint64_t phys;
    int64_t step; /* bytes to the next line */
    uint64_t key; /* of the address and random data; for addresses already complemented */
    vec flip;     /* complements random data */
    struct vec_line background;
};

static const struct line WORD_OFFSETS = { { 0, 8, 16, 24, 32, 40, 48, 56 } };

INLINE struct walk walk_begin(const struct line_run *run, const struct data *data,
                              enum data_kind kind, bool complement)
{
    uint64_t flip = complement ? ~UINT64_C(0) : 0;
    struct walk w = {
        .line = run->first,
        .phys = run->phys,
        .step = run->down ? -(int64_t)sizeof(struct line) : (int64_t)sizeof(struct line),
        .key = kind == DATA_ADDRESS ? data->key ^ flip : data->key,
        .flip = vec_all(flip),
    };

    UNROLL for (size_t i = 0; i < VECS; i++)
        w.background.v[i] =
            vec_xor(vec_constant(&data->background.word[i * VEC_WORDS]), w.flip);
    return w;
}

INLINE void walk_next(struct walk *w)
{
    w->line = (struct line *)((char *)w->line + w->step);
    w->phys += (uint64_t)w->step;
}

/* What the line at hand should hold. kind is a constant wherever this is inlined. */
INLINE struct vec_line walk_data(const struct walk *w, enum data_kind kind)
{
    struct vec_line d = w->background;

    if (kind == DATA_ADDRESS) {
        vec base = vec_all(w->phys ^ w->key);

        UNROLL for (size_t i = 0; i < VECS; i++)
            d.v[i] = vec_xor(base, vec_constant(&WORD_OFFSETS.word[i * VEC_WORDS]));
    }
    if (kind == DATA_RANDOM) {
        uint64_t hash = data_random_hash(w->phys, w->key);
        vec low = vec_all(hash), high = vec_all(hash >> 32);

        UNROLL for (size_t i = 0; i < VECS; i++) {
            vec a = vec_multiply(low, vec_constant(&DATA_RANDOM_A.word[i * VEC_WORDS]));
            vec b = vec_multiply(high, vec_constant(&DATA_RANDOM_B.word[i * VEC_WORDS]));

            d.v[i] = vec_xor(vec_xor(a, vec_swap(b)), w->flip);
        }
    }
    return d;
}

INLINE void line_write(struct line *line, const struct vec_line *value)
{
    UNROLL for (size_t i = 0; i < VECS; i++)
        vec_stream(&line->word[i * VEC_WORDS], value->v[i]);
}

/* Reads the line; returns what differs, and in *ret_any a vector that is zero if nothing does. */
INLINE struct vec_line line_compare(const struct line *line, const struct vec_line *expected,
                                    vec *ret_any)
{
    struct vec_line found;
    vec any;

    UNROLL for (size_t i = 0; i < VECS; i++)
        found.v[i] = vec_load(&line->word[i * VEC_WORDS]);
    UNROLL for (size_t i = 0; i < VECS; i++)
        found.v[i] = vec_xor(found.v[i], expected->v[i]);
    any = found.v[0];
    UNROLL for (size_t i = 1; i < VECS; i++)
        any = vec_or(any, found.v[i]);
    *ret_any = any;
    return found;
}

INLINE void line_report(const struct line_faults *faults, const struct data *data, uint64_t phys,
                        bool complement, const struct vec_line *diff)
{
    struct line differs;

    UNROLL for (size_t i = 0; i < VECS; i++)
        __builtin_memcpy(&differs.word[i * VEC_WORDS], &diff->v[i], sizeof(vec));
    lines_report(faults, data, phys, complement, &differs);
}

/*
 * The loop behind fill, verify and verify_write: n lines, all of whose differences stay in
 * registers until one test for the whole group. Everything from kind on is a constant.
 */
INLINE void walk_group(struct walk *w, const struct data *data, const struct line_faults *faults,
                       bool complement, vec write_flip, enum data_kind kind, bool read, bool write,
                       size_t n)
{
    struct vec_line diff[LINES_GROUP];
    uint64_t phys = w->phys;
    vec any = vec_all(0);

    UNROLL for (size_t k = 0; k < n; k++) {
        struct vec_line value = walk_data(w, kind);

        if (read) {
            vec differs;

            diff[k] = line_compare(w->line, &value, &differs);
            any = k ? vec_or(any, differs) : differs;
        }
        if (read && write) {
            UNROLL for (size_t i = 0; i < VECS; i++)
                value.v[i] = vec_xor(value.v[i], write_flip);
        }
        if (write)
            line_write(w->line, &value);
        walk_next(w);
    }
    if (read && __builtin_expect(vec_nonzero(any), 0)) {
        UNROLL for (size_t k = 0; k < n; k++)
            line_report(faults, data, phys + k * (uint64_t)w->step, complement, &diff[k]);
    }
}

INLINE void walk_run(const struct line_run *run, const struct data *data, bool complement,
                     bool write_complement, const struct line_faults *faults, enum data_kind kind,
                     bool read, bool write)
{
    struct walk w = walk_begin(run, data, kind, complement);
    vec write_flip = vec_all(complement != write_complement ? ~UINT64_C(0) : 0);
    uint64_t n = run->n_lines;

    for (; n >= LINES_GROUP; n -= LINES_GROUP)
        walk_group(&w, data, faults, complement, write_flip, kind, read, write, LINES_GROUP);
    for (; n; n--)
        walk_group(&w, data, faults, complement, write_flip, kind, read, write, 1);
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    switch (data->kind) {
    case DATA_BACKGROUND:
        walk_run(run, data, complement, complement, NULL, DATA_BACKGROUND, false, true);
        break;
    case DATA_ADDRESS:
        walk_run(run, data, complement, complement, NULL, DATA_ADDRESS, false, true);
        break;
    case DATA_RANDOM:
        walk_run(run, data, complement, complement, NULL, DATA_RANDOM, false, true);
        break;
    }
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    switch (data->kind) {
    case DATA_BACKGROUND:
        walk_run(run, data, complement, complement, faults, DATA_BACKGROUND, true, false);
        break;
    case DATA_ADDRESS:
        walk_run(run, data, complement, complement, faults, DATA_ADDRESS, true, false);
        break;
    case DATA_RANDOM:
        walk_run(run, data, complement, complement, faults, DATA_RANDOM, true, false);
        break;
    }
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    switch (data->kind) {
    case DATA_BACKGROUND:
        walk_run(run, data, read_complement, write_complement, faults, DATA_BACKGROUND, true, true);
        break;
    case DATA_ADDRESS:
        walk_run(run, data, read_complement, write_complement, faults, DATA_ADDRESS, true, true);
        break;
    case DATA_RANDOM:
        walk_run(run, data, read_complement, write_complement, faults, DATA_RANDOM, true, true);
        break;
    }
}

INLINE void walk_sequence(const struct line_run *run, const struct data *data,
                          const struct march_op *op, uint32_t n_ops, bool has_clflushopt,
                          const struct line_faults *faults, enum data_kind kind)
{
    struct walk w = walk_begin(run, data, kind, false);
    const vec flips[2] = { vec_all(0), vec_all(~UINT64_C(0)) };

    for (uint64_t n = run->n_lines; n; n--, walk_next(&w)) {
        struct vec_line plain = walk_data(&w, kind);

        for (uint32_t o = 0; o < n_ops; o++) {
            struct vec_line value = plain;
            vec flip = flips[op[o].complement];

            UNROLL for (size_t i = 0; i < VECS; i++)
                value.v[i] = vec_xor(value.v[i], flip);
            if (o > 0 && op[o].before == MARCH_FENCE)
                lines_fence();
            if (o > 0 && op[o].before == MARCH_FLUSH)
                lines_flush_one(w.line, has_clflushopt);
            if (op[o].write)
                line_write(w.line, &value);
            else {
                vec differs;
                struct vec_line diff = line_compare(w.line, &value, &differs);

                if (__builtin_expect(vec_nonzero(differs), 0))
                    line_report(faults, data, w.phys, op[o].complement, &diff);
            }
        }
    }
}

static void sequence(const struct line_run *run, const struct data *data, const struct march_op *op,
                     uint32_t n_ops, bool has_clflushopt, const struct line_faults *faults)
{
    switch (data->kind) {
    case DATA_BACKGROUND:
        walk_sequence(run, data, op, n_ops, has_clflushopt, faults, DATA_BACKGROUND);
        break;
    case DATA_ADDRESS:
        walk_sequence(run, data, op, n_ops, has_clflushopt, faults, DATA_ADDRESS);
        break;
    case DATA_RANDOM:
        walk_sequence(run, data, op, n_ops, has_clflushopt, faults, DATA_RANDOM);
        break;
    }
}

const struct line_ops LINES_TABLE = {
    .name = LINES_NAME,
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};
