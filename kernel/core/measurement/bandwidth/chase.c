// SPDX-License-Identifier: MIT
#include "bandwidth/chase.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"
#include "lib/splitmix.h"

/* 0 … n - 1; the bias is below n / 2^64. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)splitmix_next(state) * n) >> 64);
}

/*
 * Sattolo's shuffle over the links of n lines that are `stride` bytes apart. Before it each of them
 * is on a cycle that meets none of the others; after it these n cycles are one.
 */
static void join_cycles(char *base, size_t n, size_t stride, uint64_t *state)
{
    for (size_t last = n; last-- > 1;) {
        void **a = (void **)(base + last * stride);
        void **b = (void **)(base + random_below(state, last) * stride);
        void *link = *a;

        *a = *b;
        *b = link;
    }
}

void chase_build(void *base, size_t bytes, size_t window_bytes, uint64_t seed)
{
    char *first = base, *end = first + bytes;

    ASSERT((uintptr_t)base % LINE_SIZE == 0);
    ASSERT(bytes && bytes % LINE_SIZE == 0 && window_bytes % LINE_SIZE == 0);
    if (window_bytes == CHASE_ANYWHERE || window_bytes > bytes)
        window_bytes = bytes;

    for (char *line = first; line < end; line += LINE_SIZE)
        *(void **)line = line;
    for (size_t at = 0; at < bytes; at += window_bytes) {
        size_t left = bytes - at;
        size_t size = min_u64(left, window_bytes);

        join_cycles(first + at, size / LINE_SIZE, LINE_SIZE, &seed);
    }
    /* The first lines of the windows are in a cycle each: a walk that meets one changes windows
     * there, and comes by the next such line only after a whole window. */
    join_cycles(first, div_up(bytes, window_bytes), window_bytes, &seed);
}

bool chase_is_sound(const void *base, size_t bytes)
{
    const char *first = base;
    bool sound = true;

    for (size_t at = 0; at < bytes; at += LINE_SIZE)
        __asm__ volatile("clflush %0" : : "m"(first[at]) : "memory");
    __asm__ volatile("mfence" : : : "memory");
    for (size_t at = 0; at < bytes; at += LINE_SIZE) {
        uint64_t offset = *(const uint64_t *)(first + at) - (uint64_t)(uintptr_t)first;

        sound &= offset < bytes && offset % LINE_SIZE == 0;
    }
    return sound;
}

uint64_t chase_run(void **cursor, uint64_t steps)
{
    uint64_t rounds = div_up(steps, CHASE_STEPS);
    void *at = *cursor;

    for (uint64_t round = 0; round < rounds; round++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHASE_STEPS; i++)
            at = *(void **)at;
    }
    *cursor = at;
    return rounds * CHASE_STEPS;
}
