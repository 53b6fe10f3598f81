// SPDX-License-Identifier: MIT
/*
 * The loops of all line operations, written once. A line_ops_*.c file defines what follows and then
 * includes this file, which defines one struct line_ops. One line is in line_walk_template.h,
 * several operations on each line are in line_sequence_template.h.
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

#include "lib/minmax.h"
#include "sweep/line_walk_template.h"

/* How many lines ahead a run of reads prefetches: a DRAM latency at full bandwidth, with room. */
#define LINES_AHEAD 64

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
    DEFINE(name##_random, WALK_RANDOM, ##__VA_ARGS__)

#define KIND_TABLE(name)                                                                           \
    {                                                                                              \
        [WALK_UNIFORM] = name##_uniform, [WALK_BACKGROUND] = name##_background,                    \
        [WALK_ADDRESS] = name##_address, [WALK_RANDOM] = name##_random,                            \
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

#include "sweep/line_sequence_template.h"

const struct line_ops LINES_TABLE = {
    .name = LINES_NAME,
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};
