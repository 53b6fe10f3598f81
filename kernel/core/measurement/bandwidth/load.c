// SPDX-License-Identifier: MIT
#include "bandwidth/load.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"

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
