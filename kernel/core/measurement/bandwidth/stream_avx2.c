// SPDX-License-Identifier: MIT
/* For this file alone, so that no other code uses AVX by accident. No FMA: it would round once
 * where SSE2 rounds twice. */
#ifndef __clang__
#pragma GCC target("avx2")
#endif

#include "bandwidth/stream.h"

#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif

typedef __m256d vec;
typedef __m256i vec_bits;

#define VEC_WORDS        4
#define vec_all(x)       _mm256_set1_pd(x)
#define vec_stream(p, v) _mm256_stream_pd(p, v)

#include "bandwidth/redundant_loops.h"
#include "bandwidth/stream_loops.h"

const struct stream_ops stream_avx2 = { .name = "avx2", STREAM_LOOPS, REDUNDANT_LOOPS };

#ifdef __clang__
#pragma clang attribute pop
#endif
