// SPDX-License-Identifier: MIT
#include "rows/row_memory.h"

#include "lib/splitmix.h"
#include "rows/row_map.h"

#define TRIES 512

void row_memory_add(struct row_memory *memory, struct span span)
{
    uint64_t base = align_up(span.base, LINE_SIZE), end = align_down(span_end(span), LINE_SIZE);
    struct span *last = memory->n ? &memory->span[memory->n - 1] : NULL;

    if (end <= base)
        return;
    if (last && span_end(*last) == base) {
        last->size += end - base;
    } else {
        if (memory->n == ROW_SPANS_MAX)
            return;
        memory->lines_before[memory->n] = memory->lines;
        memory->span[memory->n++] = (struct span){ base, end - base };
    }
    memory->lines += (end - base) / LINE_SIZE;
}

/* How many spans have a key that is at most x; keys are in order. */
static size_t spans_up_to(const struct row_memory *m, uint64_t x, bool by_line)
{
    size_t low = 0, high = m->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if ((by_line ? m->lines_before[middle] : m->span[middle].base) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool row_memory_contains(const struct row_memory *memory, uint64_t phys)
{
    size_t n = spans_up_to(memory, phys, false);

    return n && span_contains(memory->span[n - 1], phys);
}

unsigned row_memory_bits(const struct row_memory *memory, uint64_t hole)
{
    uint64_t last, half;
    unsigned bits;

    if (!memory->n)
        return 0;
    last = row_map_linear(hole, span_end(memory->span[memory->n - 1]) - 1);
    bits = 64 - (unsigned)__builtin_clzll(last | 1);
    half = UINT64_C(1) << (bits - 1);
    return memory->span[0].base < half && last - half < half / 2 ? bits - 1 : bits;
}

uint64_t row_memory_differing(const struct row_memory *memory, uint64_t hole)
{
    uint64_t first = memory->n ? row_map_linear(hole, memory->span[0].base) : 0, differing = 0;

    for (size_t i = 0; i < memory->n; i++) {
        uint64_t base = row_map_linear(hole, memory->span[i].base);
        uint64_t within = base ^ (base + memory->span[i].size - LINE_SIZE);

        /* all bits below the highest that changes within a span change there */
        if (within)
            differing |= ~UINT64_C(0) >> __builtin_clzll(within);
        differing |= base ^ first;
    }
    return differing & ~(LINE_SIZE - 1);
}

uint64_t row_memory_any_line(const struct row_memory *m, uint64_t *random)
{
    uint64_t line = splitmix_next(random) % m->lines;
    size_t i = spans_up_to(m, line, true) - 1;

    return m->span[i].base + (line - m->lines_before[i]) * LINE_SIZE;
}

bool row_memory_pair(const struct row_memory *memory, uint64_t hole, unsigned bits,
                     uint64_t difference, uint64_t *random, uint64_t ret_phys[2])
{
    for (unsigned i = 0; i < TRIES && memory->lines; i++) {
        uint64_t phys = row_memory_any_line(memory, random), linear = row_map_linear(hole, phys);
        uint64_t other = row_map_phys(hole, linear ^ difference);

        if (linear >> bits || !row_memory_contains(memory, other))
            continue;
        ret_phys[0] = phys;
        ret_phys[1] = other;
        return true;
    }
    return false;
}
