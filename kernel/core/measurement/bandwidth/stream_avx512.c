// SPDX-License-Identifier: MIT
/* For this file alone, so that no other code uses AVX-512 by accident. The multiplications of
 * AVX-512F can be fused with additions, which would round once where SSE2 rounds twice: the
 * Makefile forbids that. */
#ifndef __clang__
#pragma GCC target("avx512f")
#endif

#include "bandwidth/stream.h"

#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#endif

typedef __m512d vec;
typedef __m512i vec_bits;

#define VEC_WORDS        8
#define vec_all(x)       _mm512_set1_pd(x)
#define vec_stream(p, v) _mm512_stream_pd(p, v)

#include "bandwidth/redundant_loops.h"
#include "bandwidth/stream_loops.h"

const struct stream_ops stream_avx512 = { .name = "avx512", STREAM_LOOPS, REDUNDANT_LOOPS };

#ifdef __clang__
#pragma clang attribute pop
#endif
