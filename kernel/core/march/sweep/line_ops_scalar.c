// SPDX-License-Identifier: MIT
/*
 * Line operations in general registers: eight 8-byte loads or MOVNTI stores a line. What an
 * emulator that translates instruction by instruction runs fastest. Each loop is below 2 KiB and
 * so aligned that no page boundary cuts it: QEMU does not chain translated code across pages, which
 * makes such a loop five times slower. And pure reads leave their innermost loop every 16 lines: on
 * a Xeon QEMU takes twice as long for them where it goes round more than some 64 times without a
 * break (why is not known, but its first load of each line waits then).
 */
#include "sweep/line_ops.h"

#include <emmintrin.h>

typedef uint64_t vec;

#define VEC_WORDS   1
#define LINES_GROUP 1
#define LINES_BLOCK 16
#define LINES_ALIGN 2048
#define LINES_TABLE line_ops_scalar
#define LINES_NAME  "scalar"
#define LINES_SPARE

/*
 * Eight words of a line and eight of a background are more than the general registers. So the
 * background is in vector registers: an emulator takes as long to read the stack as the line.
 */
typedef __m128i vec_spare;

static inline vec_spare vec_to_spare(vec v)
{
    return _mm_cvtsi64_si128((long long)v);
}

/* Assembly, for the compiler would fetch all words at once, and put them on the stack. */
static inline vec vec_xor_spare(vec a, vec_spare b)
{
    vec fetched;

    __asm__("movq %2, %1\n\txor %1, %0" : "+r"(a), "=&r"(fetched) : "x"(b) : "cc");
    return a;
}

static inline void vec_stream(uint64_t *to, vec v)
{
    _mm_stream_si64((long long *)to, (long long)v);
}

static inline vec vec_all(uint64_t x)
{
    return x;
}

static inline vec vec_multiply(vec a, vec b)
{
    return (uint64_t)(uint32_t)a * (uint32_t)b;
}

static inline vec vec_swap(vec a)
{
    return a << 32 | a >> 32;
}

static inline bool vec_nonzero(vec a)
{
    return a;
}

#include "sweep/line_ops_template.h"
