// SPDX-License-Identifier: MIT
/* Line operations for AVX2: 32-byte vectors. */
#include "sweep/line_ops.h"

#include <immintrin.h>

typedef __m256i vec;

#define VEC_WORDS   4
#define LINES_GROUP 4
#define LINES_BLOCK UINT64_MAX
#define LINES_ALIGN 64
#define LINES_TABLE line_ops_avx2
#define LINES_NAME  "avx2"

static inline void vec_stream(uint64_t *to, vec v)
{
    _mm256_stream_si256((vec *)to, v);
}

static inline vec vec_all(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

static inline vec vec_multiply(vec a, vec b)
{
    return _mm256_mul_epu32(a, b);
}

static inline vec vec_swap(vec a)
{
    return _mm256_shuffle_epi32(a, _MM_SHUFFLE(2, 3, 0, 1));
}

static inline bool vec_nonzero(vec a)
{
    return !_mm256_testz_si256(a, a);
}

#include "sweep/line_ops_template.h"
