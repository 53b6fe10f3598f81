// SPDX-License-Identifier: MIT
#include "bandwidth/chase.h"

#include "lib/div_up.h"
#include "lib/panic.h"
#include "lib/span.h"
#include "lib/splitmix.h"

/* 0 … n - 1; the bias is below n / 2^64. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)splitmix_next(state) * n) >> 64);
}

static size_t stride_of(enum chase_lines lines)
{
    return lines == CHASE_LINE_A_PAGE ? PAGE_SIZE : LINE_SIZE;
}

uint64_t chase_count(uint64_t bytes, enum chase_lines lines)
{
    return bytes / stride_of(lines);
}

/* A line of the chain. splitmix_mix leaves 0 as it is: the first page's line is its first. */
static void **link_of(const void *base, size_t i, enum chase_lines lines)
{
    uint64_t place = lines == CHASE_LINE_A_PAGE ? splitmix_mix(i) % (PAGE_SIZE / LINE_SIZE) : 0;

    return (void **)((char *)base + i * stride_of(lines) + place * LINE_SIZE);
}

/* Sattolo's shuffle: each line is a cycle of its own first, and one more of the one cycle after
 * each step. */
void chase_build(void *base, size_t bytes, enum chase_lines lines, uint64_t seed)
{
    size_t n = chase_count(bytes, lines);

    ASSERT((uintptr_t)base % LINE_SIZE == 0 && n && bytes % stride_of(lines) == 0);
    for (size_t i = 0; i < n; i++)
        *link_of(base, i, lines) = link_of(base, i, lines);
    for (size_t last = n; last-- > 1;) {
        void **a = link_of(base, last, lines);
        void **b = link_of(base, random_below(&seed, last), lines);
        void *link = *a;

        *a = *b;
        *b = link;
    }
}

static void flush(const void *base, size_t bytes, enum chase_lines lines)
{
    for (size_t i = 0; i < chase_count(bytes, lines); i++)
        __asm__ volatile("clflush %0" : : "m"(*link_of(base, i, lines)) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

bool chase_is_sound(const void *base, size_t bytes, enum chase_lines lines)
{
    bool sound = true;

    flush(base, bytes, lines);
    for (size_t i = 0; i < chase_count(bytes, lines); i++) {
        uint64_t link = (uint64_t)(uintptr_t)*link_of(base, i, lines);
        uint64_t offset = link - (uint64_t)(uintptr_t)base;

        sound &= offset < bytes &&
                 link == (uint64_t)(uintptr_t)link_of(base, offset / stride_of(lines), lines);
    }
    return sound;
}

void chase_hold(void *base, size_t bytes, bool modified)
{
    flush(base, bytes, CHASE_LINE_A_PAGE);
    for (size_t i = 0; i < chase_count(bytes, CHASE_LINE_A_PAGE); i++) {
        void *volatile *beside = link_of(base, i, CHASE_LINE_A_PAGE) + 1;

        if (modified)
            *beside = base;
        else
            (void)*beside;
    }
    __asm__ volatile("mfence" : : : "memory");
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
