// SPDX-License-Identifier: MIT
#include "bandwidth/stream.h"

#include <immintrin.h>

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"
#include "lib/string.h"

static const struct {
    const char *name;
    uint32_t arrays;
} op_table[STREAM_OPS] = {
    [STREAM_READ] = { "read", 1 }, [STREAM_WRITE] = { "write", 1 },
    [STREAM_COPY] = { "copy", 2 }, [STREAM_SCALE] = { "scale", 2 },
    [STREAM_ADD] = { "add", 3 },   [STREAM_TRIAD] = { "triad", 3 },
};

const struct stream_ops *stream_ops_choose(struct line_features features, const char *name)
{
    const struct stream_ops *const widest_first[] = {
        features.avx512 ? &stream_avx512 : NULL,
        features.avx2 ? &stream_avx2 : NULL,
        &stream_sse2,
    };

    for (size_t i = 0; i < sizeof(widest_first) / sizeof(widest_first[0]); i++) {
        const struct stream_ops *ops = widest_first[i];

        if (ops && (!name || strcmp(ops->name, name) == 0))
            return ops;
    }
    return NULL;
}

/* All stores before it are seen by all before any after it. */
static void fence(void)
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
    fence();
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
    fence();
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

const char *load_mix_name(enum load_mix mix)
{
    static const char *const names[LOAD_MIXES] = { "reads", "3:1", "2:1", "1:1", "writes" };

    ASSERT(mix < LOAD_MIXES);
    return names[mix];
}

uint32_t load_pause(uint32_t level)
{
    static const uint32_t pauses[LOAD_LEVELS] = {
        0, 20, 45, 80, 140, 230, 380, 600, 950, 1600, 3000, 7200,
    };

    ASSERT(level < LOAD_LEVELS);
    return pauses[level];
}

static void wait_rounds(uint32_t rounds)
{
    for (; rounds; rounds--)
        __asm__ volatile("" : "+r"(rounds));
}

/* What a mix does to a few lines. Returns the bytes moved. */
static uint64_t load_lines(const struct stream_ops *ops, enum load_mix mix,
                           const struct stream_arrays *at, size_t bytes)
{
    size_t added = div_up(2 * (bytes / LINE_SIZE), 3) * LINE_SIZE; /* of LOAD_3_TO_1 */

    switch (mix) {
    case LOAD_READS: ops->read(at->a, bytes); return bytes;
    case LOAD_WRITES: ops->write(at->a, 1.0, bytes); return bytes;
    case LOAD_1_TO_1: ops->copy(at->c, at->a, bytes); return 2 * bytes;
    case LOAD_2_TO_1: ops->add(at->c, at->a, at->b, bytes); return 3 * bytes;
    case LOAD_3_TO_1:
        ops->add(at->c, at->a, at->b, added);
        ops->read(at->a + added / sizeof(double), bytes - added);
        ops->read(at->b + added / sizeof(double), bytes - added);
        return 2 * bytes + added;
    case LOAD_MIXES: break;
    }
    panic("load_run: no mix %d", (int)mix);
}

uint64_t load_run(const struct stream_ops *ops, const struct load *load,
                  const struct stream_arrays *arrays, size_t bytes)
{
    bool in_steps = load->pause || load->mix == LOAD_3_TO_1;
    size_t step = in_steps ? LOAD_LINES * LINE_SIZE : bytes;
    uint64_t moved = 0;

    ASSERT(bytes % LINE_SIZE == 0);
    for (size_t at = 0, n; at < bytes; at += n) {
        size_t word = at / sizeof(double);
        struct stream_arrays here = { arrays->a + word, arrays->b + word, arrays->c + word };

        n = min_u64(bytes - at, step);
        moved += load_lines(ops, load->mix, &here, n);
        wait_rounds(load->pause);
    }
    fence();
    return moved;
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
    fence();
}
