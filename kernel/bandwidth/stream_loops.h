/*
 * The loops of struct stream_ops, written once over the vector of the file that includes this:
 *
 *   vec              doubles, VEC_WORDS of them; vec_bits the same as integers
 *   vec_all(x)       x in every word
 *   vec_stream(p, v) a non-temporal store of v to p
 *
 * A line is a whole number of vectors. Eight vectors a round of each loop make its own instructions
 * too few to matter; the remainder is the compiler's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define VEC_AT(p, i) (((const vec *)(p))[i])
#define VECS(bytes)  ((bytes) / sizeof(vec))

/* Two sums: one alone would wait for itself when the lines come from the first cache. */
static uint64_t loop_read(const double *from, size_t bytes)
{
    const vec_bits *f = (const vec_bits *)from;
    vec_bits even = { 0 }, odd = { 0 };
    uint64_t sum = 0;

    _Static_assert(LINE_SIZE % (2 * sizeof(vec)) == 0, "vectors are read in pairs");
#pragma GCC unroll 4
    for (size_t i = 0; i < VECS(bytes); i += 2) {
        even ^= f[i];
        odd ^= f[i + 1];
    }
    even ^= odd;
    for (size_t i = 0; i < VEC_WORDS; i++)
        sum ^= (uint64_t)even[i];
    return sum;
}

static void loop_write(double *to, double value, size_t bytes)
{
    vec v = vec_all(value);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, v);
    _mm_sfence();
}

static void loop_copy(double *to, const double *from, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(from, i));
    _mm_sfence();
}

static void loop_scale(double *to, const double *from, double factor, size_t bytes)
{
    vec k = vec_all(factor);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, k * VEC_AT(from, i));
    _mm_sfence();
}

static void loop_add(double *to, const double *x, const double *y, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(x, i) + VEC_AT(y, i));
    _mm_sfence();
}

static void loop_triad(double *to, const double *x, const double *y, double factor, size_t bytes)
{
    vec k = vec_all(factor);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(x, i) + k * VEC_AT(y, i));
    _mm_sfence();
}

#define STREAM_LOOPS                                                                               \
    .read = loop_read, .write = loop_write, .copy = loop_copy, .scale = loop_scale,                \
    .add = loop_add, .triad = loop_triad
