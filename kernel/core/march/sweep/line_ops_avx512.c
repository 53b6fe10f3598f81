// SPDX-License-Identifier: MIT
/* Line operations for AVX-512: a line is one vector, written by one store. */
#include "sweep/line_ops.h"

#include <immintrin.h>

typedef __m512i vec;

#define VEC_WORDS   8
#define LINES_GROUP 4
#define LINES_BLOCK UINT64_MAX
#define LINES_ALIGN 64
#define LINES_TABLE line_ops_avx512
#define LINES_NAME  "avx512"

static inline void vec_stream(uint64_t *to, vec v)
{
    _mm512_stream_si512((vec *)to, v);
}

static inline vec vec_all(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

static inline vec vec_multiply(vec a, vec b)
{
    return _mm512_mul_epu32(a, b);
}

static inline vec vec_swap(vec a)
{
    return _mm512_shuffle_epi32(a, _MM_PERM_CDAB);
}

static inline bool vec_nonzero(vec a)
{
    return _mm512_test_epi64_mask(a, a);
}

#include "sweep/line_ops_template.h"
