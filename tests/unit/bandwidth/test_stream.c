// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isas.h"
#include "lib/splitmix.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
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
static void test_ops(void **state)
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
static void test_factor(void **state)
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
static void test_read_sees_all(void **state)
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

static void test_init(void **state)
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
static void test_missing_arrays(void **state)
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

static void test_counting(void **state)
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
    assert_ptr_equal(stream_ops_choose(false), &stream_sse2);
    assert_ptr_equal(stream_ops_choose(true), &stream_avx2);
    assert_string_equal(stream_sse2.name, "sse2");
    assert_string_equal(stream_avx2.name, "avx2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_read_sees_all),
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_missing_arrays),
        cmocka_unit_test(test_counting),
    };

    find_isas();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
