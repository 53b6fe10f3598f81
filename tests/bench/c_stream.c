// SPDX-License-Identifier: MIT
/*
 * STREAM's loops and a write as a user's compiler makes them, for bandwidth_bench: compiled for
 * each instruction set with plain stores and, with -DSTREAMED, with non-temporal ones (bench.mk).
 */
#include "c_stream.h"

#include <immintrin.h>

#ifndef STREAMED
typedef double word;
#define PUT(to, value) ((to) = (value))
#elif defined(__AVX512F__)
typedef __m512d word;
#define PUT(to, value) _mm512_stream_pd((double *)&(to), value)
#elif defined(__AVX2__)
typedef __m256d word;
#define PUT(to, value) _mm256_stream_pd((double *)&(to), value)
#else
typedef __m128d word;
#define PUT(to, value) _mm_stream_pd((double *)&(to), value)
#endif

#define LOOP(name, to, value)                                                                      \
    static void name(const struct stream_arrays *s, size_t bytes)                                  \
    {                                                                                              \
        word *restrict a = __builtin_assume_aligned(s->a, 64);                                     \
        word *restrict b = __builtin_assume_aligned(s->b, 64);                                     \
        word *restrict c = __builtin_assume_aligned(s->c, 64);                                     \
                                                                                                   \
        for (size_t i = 0; i < bytes / sizeof(word); i++)                                          \
            PUT((to)[i], value);                                                                   \
        (void)a, (void)b, (void)c;                                                                 \
        _mm_sfence();                                                                              \
    }

LOOP(write_ones, a, (word){ 0 } + 1.0)
LOOP(copy, c, a[i])
LOOP(scale, b, 3.0 * c[i])
LOOP(add, c, a[i] + b[i])
LOOP(triad, a, b[i] + 3.0 * c[i])

c_stream_fn *const NAME[STREAM_OPS] = { NULL, write_ones, copy, scale, add, triad };
