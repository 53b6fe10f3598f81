// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <immintrin.h>

#include "lib/div_up.h"
#include "lib/minmax.h"
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

static const struct {
    const char *name;
    enum stream_op op;
} mixes[LOAD_MIXES] = {
    [LOAD_READS] = { "reads", STREAM_READ },
    [LOAD_2_TO_1] = { "2:1", STREAM_ADD },
};

const char *load_mix_name(enum load_mix mix)
{
    ASSERT(mix < LOAD_MIXES);
    return mixes[mix].name;
}

uint32_t load_mix_arrays(enum load_mix mix)
{
    ASSERT(mix < LOAD_MIXES);
    return stream_op_arrays(mixes[mix].op);
}

uint32_t load_pause(uint32_t level)
{
    static const uint32_t pauses[LOAD_LEVELS] = { 0, 30, 70, 150, 300, 600, 1200, 4800 };

    ASSERT(level < LOAD_LEVELS);
    return pauses[level];
}

static void wait_rounds(uint32_t rounds)
{
    for (; rounds; rounds--)
        __asm__ volatile("" : "+r"(rounds));
}

uint64_t load_run(const struct stream_ops *ops, enum load_mix mix,
                  const struct stream_arrays *arrays, size_t bytes, uint32_t pause)
{
    size_t step = pause ? LOAD_LINES * LINE_SIZE : bytes;

    ASSERT(mix < LOAD_MIXES && bytes % LINE_SIZE == 0);
    ASSERT(arrays->a && (uintptr_t)arrays->a % LINE_SIZE == 0);
    ASSERT(mix == LOAD_READS || (arrays->b && arrays->c &&
                                 ((uintptr_t)arrays->b | (uintptr_t)arrays->c) % LINE_SIZE == 0));
    for (size_t at = 0, n; at < bytes; at += n) {
        size_t word = at / sizeof(double);

        n = min_u64(bytes - at, step);
        if (mix == LOAD_READS)
            ops->read(arrays->a + word, n);
        else
            ops->add(arrays->c + word, arrays->a + word, arrays->b + word, n);
        wait_rounds(pause);
    }
    stream_fence();
    return stream_bytes(mixes[mix].op, bytes);
}

const char *redundancy_name(enum redundancy kind)
{
    static const char *const names[REDUNDANCY_KINDS] = { "plain", "mirror", "parity" };

    ASSERT(kind < REDUNDANCY_KINDS);
    return names[kind];
}

uint64_t redundancy_other_bytes(enum redundancy kind, uint64_t data_bytes)
{
    uint64_t lines = data_bytes / LINE_SIZE;

    ASSERT(kind < REDUNDANCY_KINDS && data_bytes % LINE_SIZE == 0);
    if (kind == REDUNDANCY_NONE)
        return 0;
    if (kind == REDUNDANCY_MIRROR)
        return data_bytes;
    return div_up(lines, REDUNDANCY_GROUP) * LINE_SIZE;
}

void redundant_write(const struct stream_ops *ops, const struct redundant *to, double value)
{
    ASSERT(to->data && (uintptr_t)to->data % LINE_SIZE == 0 && to->bytes % LINE_SIZE == 0);
    ASSERT(to->kind == REDUNDANCY_NONE || (to->other && (uintptr_t)to->other % LINE_SIZE == 0));
    switch (to->kind) {
    case REDUNDANCY_NONE: ops->write_plain(to->data, value, to->bytes); break;
    case REDUNDANCY_MIRROR: ops->write_mirror(to->data, to->other, value, to->bytes); break;
    case REDUNDANCY_PARITY: ops->write_parity(to->data, to->other, value, to->bytes); break;
    case REDUNDANCY_KINDS: panic("redundant_write: no kind %d", (int)to->kind);
    }
    stream_fence();
}
