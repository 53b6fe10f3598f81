// SPDX-License-Identifier: MIT
#include "bandwidth/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <immintrin.h>
#include <cmocka.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define LINE      64
#define WORDS     (LINE / sizeof(double))
#define LINES_MAX 33

/* On both sides of what moves between two waits. */
static const size_t line_counts[] = { 0, 1, LOAD_LINES - 1, LOAD_LINES, LOAD_LINES + 1, 16, 33 };
static const uint32_t pauses[] = { 0, 1, 1000 };

/* Loops that write down what they are asked for. */
static struct {
    const double *from, *x, *y;
    double *to;
    size_t bytes, longest;
    uint32_t calls;
} asked;

static void note(size_t bytes)
{
    asked.bytes += bytes;
    asked.longest = bytes > asked.longest ? bytes : asked.longest;
    asked.calls++;
}

static uint64_t note_read(const double *from, size_t bytes)
{
    assert_ptr_equal(from, asked.from + asked.bytes / sizeof(double));
    note(bytes);
    return 0;
}

static void note_add(double *to, const double *x, const double *y, size_t bytes)
{
    assert_ptr_equal(to, asked.to + asked.bytes / sizeof(double));
    assert_ptr_equal(x, asked.x + asked.bytes / sizeof(double));
    assert_ptr_equal(y, asked.y + asked.bytes / sizeof(double));
    note(bytes);
}

static const struct stream_ops noting = { .name = "noting", .read = note_read, .add = note_add };

static _Alignas(LINE) double a[LINES_MAX * WORDS], b[LINES_MAX * WORDS], c[LINES_MAX * WORDS];
static const struct stream_arrays arrays = { a, b, c };

/* Each array is gone over once, from its start to its end, a few lines at a time if there are
 * waits. */
static void check_walk(enum load_mix mix, size_t lines, uint32_t pause)
{
    uint32_t n_arrays = mix == LOAD_READS ? 1 : 3;
    size_t most = pause ? LOAD_LINES * LINE : lines * LINE;

    memset(&asked, 0, sizeof(asked));
    asked.from = asked.x = a;
    asked.y = b;
    asked.to = c;
    assert_int_equal(load_run(&noting, mix, &arrays, lines * LINE, pause), n_arrays * lines * LINE);
    assert_int_equal(asked.bytes, lines * LINE);
    assert_in_range(asked.longest, 0, most);
    assert_int_equal(asked.calls, most ? (lines * LINE + most - 1) / most : 0);
}

static void test_walk(void **state)
{
    for (enum load_mix mix = 0; mix < LOAD_MIXES; mix++)
        for (size_t l = 0; l < COUNT(line_counts); l++)
            for (size_t p = 0; p < COUNT(pauses); p++)
                check_walk(mix, line_counts[l], pauses[p]);
}

/* A round of waiting is a cycle or so, and there is one wait for every LOAD_LINES lines. */
static void test_waits(void **state)
{
    const uint32_t rounds = 1000000, waits = 4;
    uint64_t began = __rdtsc();

    memset(&asked, 0, sizeof(asked));
    asked.from = a;
    load_run(&noting, LOAD_READS, &arrays, waits * LOAD_LINES * LINE, rounds);
    assert_true(__rdtsc() - began > (uint64_t)waits * rounds / 8);
}

/* With the loops themselves: two lines read, their sum written. */
static void test_mixes(void **state)
{
    const struct stream_ops *ops = stream_ops_choose(__builtin_cpu_supports("avx2"));

    for (size_t p = 0; p < COUNT(pauses); p++) {
        for (size_t i = 0; i < COUNT(a); i++) {
            a[i] = (double)i;
            b[i] = 2.0;
            c[i] = -1.0;
        }
        load_run(ops, LOAD_READS, &(struct stream_arrays){ .a = a }, 32 * LINE, pauses[p]);
        for (size_t i = 0; i < COUNT(a); i++)
            assert_true(a[i] == (double)i && b[i] == 2.0 && c[i] == -1.0);
        load_run(ops, LOAD_2_TO_1, &arrays, 32 * LINE, pauses[p]);
        for (size_t i = 0; i < COUNT(a); i++)
            assert_true(a[i] == (double)i && b[i] == 2.0 &&
                        c[i] == (i < 32 * WORDS ? (double)i + 2.0 : -1.0));
    }
}

static void test_levels(void **state)
{
    assert_int_equal(load_pause(0), 0);
    for (uint32_t level = 1; level < LOAD_LEVELS; level++)
        assert_true(load_pause(level) > load_pause(level - 1));
}

static void test_names(void **state)
{
    assert_string_equal(load_mix_name(LOAD_READS), "reads");
    assert_string_equal(load_mix_name(LOAD_2_TO_1), "2:1");
    assert_int_equal(load_mix_arrays(LOAD_READS), 1);
    assert_int_equal(load_mix_arrays(LOAD_2_TO_1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),   cmocka_unit_test(test_waits), cmocka_unit_test(test_mixes),
        cmocka_unit_test(test_levels), cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
