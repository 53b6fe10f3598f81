// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <immintrin.h>

#include "isas.h"
#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define LINE       64
#define WORDS      (LINE / sizeof(double))
#define LINES_MAX  1001
#define FACTOR     3.0
#define GUARD_WORD UINT64_C(0x5a5a5a5a5a5a5a5a)

/* Every count of vectors that a round of the loops may leave over, on both sides of a round. */
static const size_t line_counts[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 100, 1000, 1001 };

/* An array between two lines that no loop may touch. */
struct array {
    uint64_t before[WORDS];
    union {
        double word[LINES_MAX * WORDS];
        uint64_t bits[LINES_MAX * WORDS];
    };
    uint64_t after[WORDS];
};

struct arrays {
    struct array a, b, c;
};

/* Doubles with all 53 bits in use, so that every rounding shows. */
static double random_double(uint64_t *state)
{
    return ((double)(splitmix_next(state) >> 11) + 0.5) / 9007199254740992.0 - 0.5;
}

static void fill(struct array *array, size_t n, uint64_t seed)
{
    memset(array, 0x5a, sizeof(*array));
    for (size_t i = 0; i < n; i++)
        array->word[i] = random_double(&seed);
}

static struct arrays *make_arrays(size_t n)
{
    struct arrays *s = aligned_alloc(LINE, sizeof(*s));

    assert_non_null(s);
    fill(&s->a, n, 1);
    fill(&s->b, n, 2);
    fill(&s->c, n, 3);
    return s;
}

/* What op does to arrays of n words, by STREAM's definition, one word after the other. */
static void model_run(enum stream_op op, struct arrays *s, size_t n)
{
    double *a = s->a.word, *b = s->b.word, *c = s->c.word;

    for (size_t i = 0; i < n; i++) {
        volatile double product; /* rounded before it is added */

        if (op == STREAM_WRITE) {
            a[i] = 1.0;
        } else if (op == STREAM_COPY) {
            c[i] = a[i];
        } else if (op == STREAM_SCALE) {
            b[i] = FACTOR * c[i];
        } else if (op == STREAM_ADD) {
            c[i] = a[i] + b[i];
        } else if (op == STREAM_TRIAD) {
            product = FACTOR * c[i];
            a[i] = b[i] + product;
        }
    }
}

static uint64_t model_read(const struct array *from, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum ^= from->bits[i];
    return sum;
}

/* All three arrays, guards included, are bit for bit what the definition makes of them. */
TEST(test_ops)
{
    for (size_t isa = 0; isa < n_isas; isa++)
        for (enum stream_op op = 0; op < STREAM_OPS; op++)
            for (size_t l = 0; l < COUNT(line_counts); l++) {
                size_t n = line_counts[l] * WORDS;
                struct arrays *found = make_arrays(n), *expected = make_arrays(n);
                uint64_t sum = op == STREAM_READ ? model_read(&found->a, n) : 0;

                model_run(op, expected, n);
                assert_int_equal(stream_run(isas[isa], op,
                                            &(struct stream_arrays){ found->a.word, found->b.word,
                                                                     found->c.word },
                                            n * sizeof(double)),
                                 sum);
                assert_memory_equal(found, expected, sizeof(*found));
                free(found);
                free(expected);
            }
}

/* The factor is a parameter of the loops, and no vector word is left out of it. */
TEST(test_factor)
{
    static const double factors[] = { 0.0, -1.0, 0.1, 1e300 };

    for (size_t isa = 0; isa < n_isas; isa++)
        for (size_t f = 0; f < COUNT(factors); f++) {
            size_t n = 5 * WORDS;
            struct arrays *s = make_arrays(n);
            volatile double product;

            isas[isa]->scale(s->b.word, s->c.word, factors[f], n * sizeof(double));
            isas[isa]->triad(s->a.word, s->b.word, s->c.word, factors[f], n * sizeof(double));
            for (size_t i = 0; i < n; i++) {
                product = factors[f] * s->c.word[i];
                assert_true(s->b.word[i] == product);
                assert_true(s->a.word[i] == s->b.word[i] + product);
            }
            free(s);
        }
}

/* Every bit of every word counts in what read returns. */
TEST(test_read_sees_all)
{
    for (size_t isa = 0; isa < n_isas; isa++)
        for (size_t lines = 1; lines <= 9; lines++) {
            struct arrays *s = make_arrays(lines * WORDS);
            uint64_t sum = isas[isa]->read(s->a.word, lines * LINE);

            for (size_t bit = 0; bit < lines * LINE * 8; bit++) {
                uint64_t flip = UINT64_C(1) << bit % 64;

                s->a.bits[bit / 64] ^= flip;
                assert_int_equal(isas[isa]->read(s->a.word, lines * LINE), sum ^ flip);
                s->a.bits[bit / 64] ^= flip;
            }
            free(s);
        }
}

TEST(test_init)
{
    for (size_t isa = 0; isa < n_isas; isa++) {
        size_t n = 17 * WORDS;
        struct arrays *s = make_arrays(n);

        stream_init(isas[isa], &(struct stream_arrays){ s->a.word, s->b.word, s->c.word },
                    n * sizeof(double));
        for (size_t i = 0; i < n; i++)
            assert_true(s->a.word[i] == 1.0 && s->b.word[i] == 2.0 && s->c.word[i] == 0.0);
        assert_int_equal(s->a.before[WORDS - 1], GUARD_WORD);
        assert_int_equal(s->c.bits[n], GUARD_WORD);
        free(s);
    }
}

/* An op asks only for the arrays that it names. */
TEST(test_missing_arrays)
{
    struct arrays *s = make_arrays(WORDS);
    double *a = s->a.word, *b = s->b.word, *c = s->c.word;

    for (size_t isa = 0; isa < n_isas; isa++) {
        stream_init(isas[isa], &(struct stream_arrays){ .b = b }, LINE);
        assert_true(b[7] == 2.0);
        stream_run(isas[isa], STREAM_WRITE, &(struct stream_arrays){ .a = a }, LINE);
        assert_true(a[7] == 1.0);
        stream_run(isas[isa], STREAM_READ, &(struct stream_arrays){ .a = a }, LINE);
        stream_run(isas[isa], STREAM_COPY, &(struct stream_arrays){ .a = a, .c = c }, LINE);
        assert_true(c[7] == 1.0);
        stream_run(isas[isa], STREAM_SCALE, &(struct stream_arrays){ .b = b, .c = c }, LINE);
        assert_true(b[7] == 3.0);
    }
    free(s);
}

TEST(test_counting)
{
    static const struct {
        const char *name;
        uint32_t arrays;
    } ops[STREAM_OPS] = {
        [STREAM_READ] = { "read", 1 }, [STREAM_WRITE] = { "write", 1 },
        [STREAM_COPY] = { "copy", 2 }, [STREAM_SCALE] = { "scale", 2 },
        [STREAM_ADD] = { "add", 3 },   [STREAM_TRIAD] = { "triad", 3 },
    };

    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        assert_string_equal(stream_op_name(op), ops[op].name);
        assert_int_equal(stream_op_arrays(op), ops[op].arrays);
        assert_int_equal(stream_bytes(op, 0), 0);
        assert_int_equal(stream_bytes(op, UINT64_C(5) << 30), ops[op].arrays * UINT64_C(5) << 30);
    }
}

/* The widest that all CPUs have, or the one that is named, or none. */
TEST(loops_by_features_and_name)
{
    static const struct line_features none = { 0 }, avx2 = { .avx2 = true },
                                      all = { .avx512 = true, .avx2 = true };
    static const struct {
        const struct line_features *features;
        const char *name;
        const struct stream_ops *ops;
    } cases[] = {
        { &none, NULL, &stream_sse2 },   { &none, "sse2", &stream_sse2 },
        { &none, "avx2", NULL },         { &none, "avx512", NULL },
        { &avx2, NULL, &stream_avx2 },   { &avx2, "sse2", &stream_sse2 },
        { &avx2, "avx2", &stream_avx2 }, { &avx2, "avx512", NULL },
        { &all, NULL, &stream_avx512 },  { &all, "sse2", &stream_sse2 },
        { &all, "avx2", &stream_avx2 },  { &all, "avx512", &stream_avx512 },
        { &all, "scalar", NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_ptr_equal(stream_ops_choose(*cases[i].features, cases[i].name), cases[i].ops);
}

#define LOAD_COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define LOAD_LINE      64
#define LOAD_WORDS     (LOAD_LINE / sizeof(double))
#define LOAD_LINES_MAX 49

/* On both sides of what moves between two waits, and what a third leaves over. */
static const size_t load_line_counts[] = {
    0, 1, 2, 3, LOAD_LINES - 1, LOAD_LINES, LOAD_LINES + 1, LOAD_LINES + 2, 33, 48, LOAD_LINES_MAX
};
static const uint32_t pauses[] = { 0, 1, 1000 };

static _Alignas(LOAD_LINE) double a[LOAD_LINES_MAX * LOAD_WORDS], b[LOAD_LINES_MAX * LOAD_WORDS],
    c[LOAD_LINES_MAX * LOAD_WORDS];
static const struct stream_arrays load_arrays = { a, b, c };

/* Loops that write down which lines they are asked for: how often each was read and written. */
static struct {
    uint32_t reads[3][LOAD_LINES_MAX], writes[3][LOAD_LINES_MAX], n_reads, n_writes;
    size_t longest;
} asked;

static void note(uint32_t (*count)[LOAD_LINES_MAX], const double *from, size_t bytes)
{
    const double *const start[] = { a, b, c };

    asked.longest = bytes > asked.longest ? bytes : asked.longest;
    for (size_t i = 0; i < 3; i++)
        for (size_t line = 0; line < LOAD_LINES_MAX; line++) {
            const double *at = start[i] + line * LOAD_WORDS;

            count[i][line] += at >= from && at < from + bytes / sizeof(double);
        }
}

static void note_lines(const double *from, size_t bytes, bool is_read)
{
    note(is_read ? asked.reads : asked.writes, from, bytes);
    *(is_read ? &asked.n_reads : &asked.n_writes) += (uint32_t)(bytes / LOAD_LINE);
}

static uint64_t note_read(const double *from, size_t bytes)
{
    note_lines(from, bytes, true);
    return 0;
}

static void note_write(double *to, double value, size_t bytes)
{
    note_lines(to, bytes, false);
}

static void note_copy(double *to, const double *from, size_t bytes)
{
    note_lines(from, bytes, true);
    note_lines(to, bytes, false);
}

static void note_add(double *to, const double *x, const double *y, size_t bytes)
{
    note_lines(y, bytes, true);
    note_copy(to, x, bytes);
}

static const struct stream_ops noting = {
    .name = "noting", .read = note_read, .write = note_write, .copy = note_copy, .add = note_add
};

/* No line is asked for twice, and a few at a time if there are waits. */
static void check_walk(enum load_mix mix, size_t lines, uint32_t pause)
{
    const struct load load = { mix, pause };
    size_t most = pause ? LOAD_LINES * LOAD_LINE : lines * LOAD_LINE;
    uint64_t moved;

    memset(&asked, 0, sizeof(asked));
    moved = load_run(&noting, &load, &load_arrays, lines * LOAD_LINE);
    assert_int_equal(moved, (asked.n_reads + asked.n_writes) * LOAD_LINE);
    assert_in_range(asked.longest, 0, most);
    for (size_t i = 0; i < 3; i++)
        for (size_t line = 0; line < LOAD_LINES_MAX; line++) {
            assert_true(asked.reads[i][line] <= (line < lines));
            assert_true(asked.writes[i][line] <= (line < lines));
        }
}

TEST(test_walk)
{
    for (enum load_mix mix = 0; mix < LOAD_MIXES; mix++)
        for (size_t l = 0; l < LOAD_COUNT(load_line_counts); l++)
            for (size_t p = 0; p < LOAD_COUNT(pauses); p++)
                check_walk(mix, load_line_counts[l], pauses[p]);
}

/* Reads to writes, of whole steps: as the name says. */
TEST(test_mixes)
{
    static const struct {
        const char *name;
        uint32_t reads, writes; /* of LOAD_LINES_MAX - 1 lines */
    } rows[LOAD_MIXES] = {
        [LOAD_READS] = { "reads", 48, 0 },   [LOAD_3_TO_1] = { "3:1", 96, 32 },
        [LOAD_2_TO_1] = { "2:1", 96, 48 },   [LOAD_1_TO_1] = { "1:1", 48, 48 },
        [LOAD_WRITES] = { "writes", 0, 48 },
    };

    for (enum load_mix mix = 0; mix < LOAD_MIXES; mix++)
        for (size_t p = 0; p < LOAD_COUNT(pauses); p++) {
            check_walk(mix, 48, pauses[p]);
            assert_string_equal(load_mix_name(mix), rows[mix].name);
            assert_int_equal(asked.n_reads, rows[mix].reads);
            assert_int_equal(asked.n_writes, rows[mix].writes);
        }
}

/* A round of waiting is a cycle or so, and there is one wait for every LOAD_LINES lines. */
TEST(test_waits)
{
    const struct load load = { LOAD_READS, 1000000 };
    const uint32_t waits = 4;
    uint64_t began = __rdtsc();

    load_run(&noting, &load, &load_arrays, waits * LOAD_LINES * LOAD_LINE);
    assert_true(__rdtsc() - began > (uint64_t)waits * load.pause / 8);
}

/* With the loops themselves: sums are written in the third array, and nothing beyond the end. */
TEST(test_loads)
{
    const struct stream_ops *ops = isas[n_isas - 1];

    for (size_t p = 0; p < LOAD_COUNT(pauses); p++) {
        for (enum load_mix mix = 0; mix < LOAD_MIXES; mix++) {
            for (size_t i = 0; i < LOAD_COUNT(a); i++) {
                a[i] = (double)i;
                b[i] = 2.0;
                c[i] = -1.0;
            }
            load_run(ops, &(struct load){ mix, pauses[p] }, &load_arrays, 48 * LOAD_LINE);
            for (size_t i = 0; i < LOAD_COUNT(a); i++) {
                bool inside = i < 48 * LOAD_WORDS;
                double sum = mix == LOAD_1_TO_1 ? a[i] : a[i] + b[i];
                bool is_sum = mix == LOAD_3_TO_1 ? c[i] == sum || c[i] == -1.0 : c[i] == sum;

                assert_true(a[i] == (inside && mix == LOAD_WRITES ? 1.0 : (double)i));
                assert_true(b[i] == 2.0);
                if (!inside || mix == LOAD_READS || mix == LOAD_WRITES)
                    assert_true(c[i] == -1.0);
                else
                    assert_true(is_sum);
            }
        }
    }
}

TEST(test_levels)
{
    assert_int_equal(load_pause(0), 0);
    for (uint32_t level = 1; level < LOAD_LEVELS; level++)
        assert_true(load_pause(level) > load_pause(level - 1));
}

#define REDUNDANT_COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define REDUNDANT_LINE      64
#define REDUNDANT_WORDS     (REDUNDANT_LINE / sizeof(double))
#define REDUNDANT_LINES_MAX 1001
#define GUARD               UINT64_C(0x5a5a5a5a5a5a5a5a)

/* Whole groups, and each rest that a group may leave. */
static const size_t redundant_line_counts[] = { 0, 1, 2, 3, 4,   5,
                                                6, 7, 8, 9, 100, REDUNDANT_LINES_MAX };

/* Lines between two that nothing may touch. */
struct area {
    uint64_t before[REDUNDANT_WORDS];
    union {
        double value[REDUNDANT_LINES_MAX + 1][REDUNDANT_WORDS];
        uint64_t bits[REDUNDANT_LINES_MAX + 1][REDUNDANT_WORDS];
    };
};

static struct area *make_area(void)
{
    struct area *area = aligned_alloc(REDUNDANT_LINE, sizeof(*area));

    assert_non_null(area);
    memset(area, 0x5a, sizeof(*area));
    return area;
}

static void assert_untouched(const struct area *area, size_t lines)
{
    for (size_t w = 0; w < REDUNDANT_WORDS; w++) {
        assert_int_equal(area->before[w], GUARD);
        for (size_t line = lines; line <= REDUNDANT_LINES_MAX; line++)
            assert_int_equal(area->bits[line][w], GUARD);
    }
}

/* Line i of the data holds value + i, whatever is kept besides. */
static void assert_data(const struct area *data, size_t lines, double value)
{
    for (size_t line = 0; line < lines; line++)
        for (size_t w = 0; w < REDUNDANT_WORDS; w++)
            assert_true(data->value[line][w] == value + (double)line);
    assert_untouched(data, lines);
}

/* Any line of a group is the XOR of its parity and of the group's other lines. */
static void assert_rebuilt(const struct area *data, const struct area *parity, size_t lines)
{
    for (size_t lost = 0; lost < lines; lost++) {
        size_t group = lost / REDUNDANCY_GROUP, first = group * REDUNDANCY_GROUP;

        for (size_t w = 0; w < REDUNDANT_WORDS; w++) {
            uint64_t rebuilt = parity->bits[group][w];

            for (size_t i = first; i < first + REDUNDANCY_GROUP && i < lines; i++)
                if (i != lost)
                    rebuilt ^= data->bits[i][w];
            assert_int_equal(rebuilt, data->bits[lost][w]);
        }
    }
}

static void check_write(const struct stream_ops *ops, enum redundancy kind, size_t lines,
                        double value)
{
    struct area *data = make_area(), *other = make_area();
    uint64_t other_bytes = redundancy_other_bytes(kind, lines * REDUNDANT_LINE);

    redundant_write(
        ops, &(struct redundant){ kind, data->value[0], other->value[0], lines * REDUNDANT_LINE },
        value);
    assert_data(data, lines, value);
    assert_untouched(other, other_bytes / REDUNDANT_LINE);
    if (kind == REDUNDANCY_MIRROR)
        assert_memory_equal(data->bits, other->bits, lines * REDUNDANT_LINE);
    if (kind == REDUNDANCY_PARITY)
        assert_rebuilt(data, other, lines);
    free(data);
    free(other);
}

TEST(test_write)
{
    static const double values[] = { 1.0, 0.0, -7.0, 0.5, 1e6 };

    for (size_t isa = 0; isa < n_isas; isa++)
        for (enum redundancy kind = 0; kind < REDUNDANCY_KINDS; kind++)
            for (size_t l = 0; l < REDUNDANT_COUNT(redundant_line_counts); l++)
                for (size_t v = 0; v < REDUNDANT_COUNT(values); v++)
                    check_write(isas[isa], kind, redundant_line_counts[l], values[v]);
}

/* A second write with another value leaves nothing of the first. */
TEST(test_overwrite)
{
    for (size_t isa = 0; isa < n_isas; isa++) {
        struct area *data = make_area(), *other = make_area();
        struct redundant to = { REDUNDANCY_PARITY, data->value[0], other->value[0],
                                10 * REDUNDANT_LINE };

        redundant_write(isas[isa], &to, 1.0);
        redundant_write(isas[isa], &to, 1000.0);
        assert_data(data, 10, 1000.0);
        assert_rebuilt(data, other, 10);
        free(data);
        free(other);
    }
}

TEST(test_plain_needs_no_other)
{
    for (size_t isa = 0; isa < n_isas; isa++) {
        struct area *data = make_area();
        struct redundant to = { REDUNDANCY_NONE, data->value[0], NULL, 9 * REDUNDANT_LINE };

        redundant_write(isas[isa], &to, 3.0);
        assert_data(data, 9, 3.0);
        free(data);
    }
}

TEST(test_other_bytes)
{
    static const struct {
        uint64_t data, parity;
    } rows[] = {
        { 0, 0 },
        { 1 * REDUNDANT_LINE, REDUNDANT_LINE },
        { 3 * REDUNDANT_LINE, REDUNDANT_LINE },
        { 4 * REDUNDANT_LINE, REDUNDANT_LINE },
        { 5 * REDUNDANT_LINE, 2 * REDUNDANT_LINE },
        { 8 * REDUNDANT_LINE, 2 * REDUNDANT_LINE },
        { UINT64_C(1) << 40, UINT64_C(1) << 38 },
        { UINT64_MAX - 63, (UINT64_MAX / REDUNDANT_LINE / 4 + 1) * REDUNDANT_LINE },
    };

    for (size_t r = 0; r < REDUNDANT_COUNT(rows); r++) {
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_NONE, rows[r].data), 0);
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_MIRROR, rows[r].data), rows[r].data);
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_PARITY, rows[r].data), rows[r].parity);
    }
}

TEST(redundant_test_names)
{
    assert_string_equal(redundancy_name(REDUNDANCY_NONE), "plain");
    assert_string_equal(redundancy_name(REDUNDANCY_MIRROR), "mirror");
    assert_string_equal(redundancy_name(REDUNDANCY_PARITY), "parity");
}

int group_set_up(void **state)
{
    find_isas();
    return 0;
}
