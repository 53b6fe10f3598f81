// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <immintrin.h>

#include "lib/panic.h"
#include "lib/span.h"

static const struct {
    const char *name;
    uint32_t arrays;
} op_table[STREAM_OPS] = {
    [STREAM_READ] = { "read", 1 }, [STREAM_WRITE] = { "write", 1 },
    [STREAM_COPY] = { "copy", 2 }, [STREAM_SCALE] = { "scale", 2 },
    [STREAM_ADD] = { "add", 3 },   [STREAM_TRIAD] = { "triad", 3 },
};

const struct stream_ops *stream_ops_choose(bool has_avx2)
{
    return has_avx2 ? &stream_avx2 : &stream_sse2;
}

void stream_fence(void)
{
    _mm_sfence();
}

/* p, which an op is about to use; the loops work on whole lines only. */
static double *lines_at(double *p)
{
    ASSERT(p && (uintptr_t)p % LINE_SIZE == 0);
    return p;
}

void stream_init(const struct stream_ops *ops, const struct stream_arrays *arrays, size_t bytes)
{
    ASSERT(bytes % LINE_SIZE == 0);
    if (arrays->a)
        ops->write(lines_at(arrays->a), 1.0, bytes);
    if (arrays->b)
        ops->write(lines_at(arrays->b), 2.0, bytes);
    if (arrays->c)
        ops->write(lines_at(arrays->c), 0.0, bytes);
    stream_fence();
}

uint64_t stream_run(const struct stream_ops *ops, enum stream_op op,
                    const struct stream_arrays *arrays, size_t bytes)
{
    double *a = arrays->a, *b = arrays->b, *c = arrays->c;

    ASSERT(bytes % LINE_SIZE == 0);
    switch (op) {
    case STREAM_READ: return ops->read(lines_at(a), bytes);
    case STREAM_WRITE: ops->write(lines_at(a), 1.0, bytes); break;
    case STREAM_COPY: ops->copy(lines_at(c), lines_at(a), bytes); break;
    case STREAM_SCALE: ops->scale(lines_at(b), lines_at(c), STREAM_SCALAR, bytes); break;
    case STREAM_ADD: ops->add(lines_at(c), lines_at(a), lines_at(b), bytes); break;
    case STREAM_TRIAD:
        ops->triad(lines_at(a), lines_at(b), lines_at(c), STREAM_SCALAR, bytes);
        break;
    case STREAM_OPS: panic("stream_run: no op %d", (int)op);
    }
    stream_fence();
    return 0;
}

const char *stream_op_name(enum stream_op op)
{
    ASSERT(op < STREAM_OPS);
    return op_table[op].name;
}

uint32_t stream_op_arrays(enum stream_op op)
{
    ASSERT(op < STREAM_OPS);
    return op_table[op].arrays;
}

uint64_t stream_bytes(enum stream_op op, uint64_t array_bytes)
{
    return stream_op_arrays(op) * array_bytes;
}
