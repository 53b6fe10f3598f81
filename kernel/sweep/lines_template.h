/*
 * The loops of all line operations, written once. A lines_*.c file defines what follows and then
 * includes this file, which defines one struct line_ops.
 *
 *   LINES_TABLE, LINES_NAME   the table's C name and its name for people
 *   LINES_ALIGN               of each loop's code, in bytes
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
#include <emmintrin.h> /* _mm_prefetch */

#define VECS   (8 / VEC_WORDS) /* vectors in a line */
#define INLINE static inline __attribute__((always_inline))
#define LOOP   static __attribute__((noinline, aligned(LINES_ALIGN)))

/* How many lines ahead a run of reads prefetches: a DRAM latency at full bandwidth, with room. */
#define LINES_AHEAD 64

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
    uint64_t key;  /* for addresses already complemented where need be */
    vec flip;      /* all ones: the complement of random data */
    struct vec_line background;
    const struct data *data;
    bool complement;
    const struct line_faults *faults;
};

static const struct line WORD_OFFSETS = { { 0, 8, 16, 24, 32, 40, 48, 56 } };

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
        .key = kind == WALK_ADDRESS ? data->key ^ flip : data->key,
        .flip = vec_all(flip),
        .data = data,
        .complement = complement,
        .faults = faults,
    };

    if (kind == WALK_UNIFORM)
        w.background.v[0] = vec_all(data->background.word[0] ^ flip);
    if (kind == WALK_BACKGROUND) {
#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++)
            w.background.v[i] =
                vec_xor(vec_constant(&data->background.word[i * VEC_WORDS]), w.flip);
    }
    return w;
}

INLINE void walk_next(struct walk *w)
{
    w->line = (struct line *)((char *)w->line + w->step);
    w->phys += (uint64_t)w->step;
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
        vec base = vec_all(w->phys ^ w->key);

#pragma GCC unroll 8
        for (size_t i = 0; i < VECS; i++)
            d.v[i] = vec_xor(base, vec_constant(&WORD_OFFSETS.word[i * VEC_WORDS]));
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

INLINE void line_write(struct line *line, const struct vec_line *value)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        vec_stream(&line->word[i * VEC_WORDS], value->v[i]);
    __asm__ volatile("" : : : "memory"); /* the compiler moves no later read before this */
}

/*
 * Reads the line; returns what differs, and in *ret_any a vector that is zero if nothing does. All
 * loads come before all arithmetic: an emulator writes its registers back at every load.
 */
INLINE struct vec_line line_compare(const struct line *line, const struct vec_line *expected,
                                    vec *ret_any)
{
    struct vec_line diff;
    vec any;

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        diff.v[i] = vec_load(&line->word[i * VEC_WORDS]);
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        diff.v[i] = vec_xor(diff.v[i], expected->v[i]);
    any = diff.v[0];
#pragma GCC unroll 8
    for (size_t i = 1; i < VECS; i++)
        any = vec_or(any, diff.v[i]);
    *ret_any = any;
    return diff;
}

INLINE void walk_report(const struct walk *w, uint64_t phys, bool complement,
                        const struct vec_line *diff)
{
    struct line differs;

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS; i++)
        __builtin_memcpy(&differs.word[i * VEC_WORDS], &diff->v[i], sizeof(vec));
    lines_report(w->faults, w->data, phys, complement, &differs);
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
            vec differs;

            diff[k] = line_compare(w->line, &value, &differs);
            any = k ? vec_or(any, differs) : differs;
        }
        if (read && write)
            value = line_flip(value, write_flip);
        if (write)
            line_write(w->line, &value);
        walk_next(w);
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
 * The loop behind fill, verify and verify_write. Pure reads prefetch, but nothing outside the run:
 * for the last lines the one at hand. Reads among writes do not: each comes in its turn.
 */
INLINE void walk_run(const struct line_run *run, const struct data *data, bool complement,
                     bool write_complement, const struct line_faults *faults, enum walk_kind kind,
                     bool read, bool write)
{
    struct walk w = walk_begin(run, data, kind, complement, faults);
    vec write_flip = vec_all(ones_if(complement != write_complement));

    for (uint64_t left = run->n_lines, n; left; left -= n) {
        bool far = read && !write && left > LINES_AHEAD;

        n = far ? left - LINES_AHEAD : left;
        w.ahead = far ? LINES_AHEAD * w.step : 0;
        walk_lines(&w, write_flip, kind, read, write, n);
    }
}

/* One loop for each kind of data, and the table of them. */
#define DEFINE_RUNS(name, read, write)                                                             \
    DEFINE_RUN(name##_uniform, WALK_UNIFORM, read, write)                                          \
    DEFINE_RUN(name##_background, WALK_BACKGROUND, read, write)                                    \
    DEFINE_RUN(name##_address, WALK_ADDRESS, read, write)                                          \
    DEFINE_RUN(name##_random, WALK_RANDOM, read, write)                                            \
    static const walk_run_function name##_runs[] = {                                               \
        [WALK_UNIFORM] = name##_uniform,                                                           \
        [WALK_BACKGROUND] = name##_background,                                                     \
        [WALK_ADDRESS] = name##_address,                                                           \
        [WALK_RANDOM] = name##_random,                                                             \
    }

#define DEFINE_RUN(name, kind, read, write)                                                        \
    LOOP void name(const struct line_run *run, const struct data *data, bool complement,           \
                   bool write_complement, const struct line_faults *faults)                        \
    {                                                                                              \
        walk_run(run, data, complement, write_complement, faults, kind, read, write);              \
    }

typedef void (*walk_run_function)(const struct line_run *run, const struct data *data,
                                  bool complement, bool write_complement,
                                  const struct line_faults *faults);

DEFINE_RUNS(fill, false, true);
DEFINE_RUNS(verify, true, false);
DEFINE_RUNS(verify_write, true, true);

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    fill_runs[walk_kind(data)](run, data, complement, complement, NULL);
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    verify_runs[walk_kind(data)](run, data, complement, complement, faults);
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    verify_write_runs[walk_kind(data)](run, data, read_complement, write_complement, faults);
}

/* One operation of a sequence on the line at hand. */
INLINE void walk_op(const struct walk *w, struct march_op op, enum walk_kind kind)
{
    struct vec_line value = line_flip(walk_data(w, kind), vec_all(ones_if(op.complement)));

    if (op.write) {
        line_write(w->line, &value);
    } else {
        vec any;
        struct vec_line diff = line_compare(w->line, &value, &any);

        if (__builtin_expect(vec_nonzero(any), 0))
            walk_report(w, w->phys, op.complement, &diff);
    }
}

INLINE void walk_sequence(const struct line_run *run, const struct data *data,
                          const struct march_op *op, uint32_t n_ops, bool has_clflushopt,
                          const struct line_faults *faults, enum walk_kind kind)
{
    struct walk w = walk_begin(run, data, kind, false, faults);

    for (uint64_t n = run->n_lines; n; n--, walk_next(&w)) {
        for (uint32_t i = 0; i < n_ops; i++) {
            if (i > 0 && op[i].before == MARCH_FENCE)
                lines_fence();
            if (i > 0 && op[i].before == MARCH_FLUSH)
                lines_flush_one(w.line, has_clflushopt);
            __asm__("" : "+r"(w.phys)); /* rather compute the data again than keep it in memory */
            walk_op(&w, op[i], kind);
        }
    }
}

#define DEFINE_SEQUENCE(name, kind)                                                                \
    LOOP void name(const struct line_run *run, const struct data *data, const struct march_op *op, \
                   uint32_t n_ops, bool has_clflushopt, const struct line_faults *faults)          \
    {                                                                                              \
        walk_sequence(run, data, op, n_ops, has_clflushopt, faults, kind);                         \
    }

DEFINE_SEQUENCE(sequence_uniform, WALK_UNIFORM)
DEFINE_SEQUENCE(sequence_background, WALK_BACKGROUND)
DEFINE_SEQUENCE(sequence_address, WALK_ADDRESS)
DEFINE_SEQUENCE(sequence_random, WALK_RANDOM)

static void sequence(const struct line_run *run, const struct data *data, const struct march_op *op,
                     uint32_t n_ops, bool has_clflushopt, const struct line_faults *faults)
{
    static void (*const loops[])(const struct line_run *, const struct data *,
                                 const struct march_op *, uint32_t, bool,
                                 const struct line_faults *) = {
        [WALK_UNIFORM] = sequence_uniform,
        [WALK_BACKGROUND] = sequence_background,
        [WALK_ADDRESS] = sequence_address,
        [WALK_RANDOM] = sequence_random,
    };

    loops[walk_kind(data)](run, data, op, n_ops, has_clflushopt, faults);
}

const struct line_ops LINES_TABLE = {
    .name = LINES_NAME,
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};
