// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <immintrin.h>

typedef __m128d vec;
typedef __m128i vec_bits;

#define VEC_WORDS        2
#define vec_all(x)       _mm_set1_pd(x)
#define vec_stream(p, v) _mm_stream_pd(p, v)

#include "bandwidth/redundant_loops.h"
#include "bandwidth/stream_loops.h"

const struct stream_ops stream_sse2 = { .name = "sse2", STREAM_LOOPS, REDUNDANT_LOOPS };
