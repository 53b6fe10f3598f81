// SPDX-License-Identifier: MIT
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

#define VEC_AT(p, i) (((const vec *)(p))[i])
#define VECS(bytes)  ((bytes) / sizeof(vec))

/* Sums of their own: with few of them the loads of the first cache would wait for each other. */
#define READ_SUMS 8

static uint64_t loop_read(const double *from, size_t bytes)
{
    const vec_bits *f = (const vec_bits *)from;
    vec_bits sum[READ_SUMS] = { 0 };
    uint64_t all = 0;
    size_t i = 0;

    for (; i + READ_SUMS <= VECS(bytes); i += READ_SUMS) {
#pragma GCC unroll 8
        for (size_t s = 0; s < READ_SUMS; s++)
            sum[s] ^= f[i + s];
    }
    for (; i < VECS(bytes); i++)
        sum[0] ^= f[i];
#pragma GCC unroll 8
    for (size_t s = 1; s < READ_SUMS; s++)
        sum[0] ^= sum[s];
    for (size_t w = 0; w < VEC_WORDS; w++)
        all ^= (uint64_t)sum[0][w];
    return all;
}

static void loop_write(double *to, double value, size_t bytes)
{
    vec v = vec_all(value);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, v);
}

static void loop_copy(double *to, const double *from, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(from, i));
}

static void loop_scale(double *to, const double *from, double factor, size_t bytes)
{
    vec k = vec_all(factor);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, k * VEC_AT(from, i));
}

static void loop_add(double *to, const double *x, const double *y, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(x, i) + VEC_AT(y, i));
}

static void loop_triad(double *to, const double *x, const double *y, double factor, size_t bytes)
{
    vec k = vec_all(factor);

#pragma GCC unroll 8
    for (size_t i = 0; i < VECS(bytes); i++)
        vec_stream(to + i * VEC_WORDS, VEC_AT(x, i) + k * VEC_AT(y, i));
}

#define STREAM_LOOPS                                                                               \
    .read = loop_read, .write = loop_write, .copy = loop_copy, .scale = loop_scale,                \
    .add = loop_add, .triad = loop_triad
