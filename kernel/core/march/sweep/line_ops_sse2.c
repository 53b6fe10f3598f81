// SPDX-License-Identifier: MIT
/* Line operations for every x86-64 CPU: 16-byte vectors. */
#include "sweep/line_ops.h"

#include <emmintrin.h>

typedef __m128i vec;

#define VEC_WORDS   2
#define LINES_GROUP 2
#define LINES_BLOCK UINT64_MAX
#define LINES_ALIGN 64
#define LINES_TABLE line_ops_sse2
#define LINES_NAME  "sse2"

static inline void vec_stream(uint64_t *to, vec v)
{
    _mm_stream_si128((vec *)to, v);
}

static inline vec vec_all(uint64_t x)
{
    return _mm_set1_epi64x((long long)x);
}

static inline vec vec_multiply(vec a, vec b)
{
    return _mm_mul_epu32(a, b);
}

static inline vec vec_swap(vec a)
{
    return _mm_shuffle_epi32(a, _MM_SHUFFLE(2, 3, 0, 1));
}

static inline bool vec_nonzero(vec a)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi32(a, _mm_setzero_si128())) != 0xffff;
}

#include "sweep/line_ops_template.h"
