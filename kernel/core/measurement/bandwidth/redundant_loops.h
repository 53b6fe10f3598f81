// SPDX-License-Identifier: MIT
/*
 * The loops behind redundant_write, written once over the vector of the file that includes this;
 * see stream_loops.h for what it defines.
 */
#pragma once

#include <stddef.h>

#include "bandwidth/stream.h"
#include "lib/minmax.h"
#include "lib/span.h"

#define INLINE     static inline __attribute__((always_inline))
#define LINE_WORDS (LINE_SIZE / sizeof(double))

/* A line of equal words. */
INLINE void line_stream(double *line, vec v)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < LINE_SIZE / sizeof(vec); i++)
        vec_stream(line + i * VEC_WORDS, v);
}

/*
 * Line i holds value + i. Each line of a group has a sum of its own: one for all would be waited
 * for at every line.
 */
struct group {
    vec line[REDUNDANCY_GROUP];
};

INLINE struct group group_first(double value)
{
    struct group g;

#pragma GCC unroll 4
    for (size_t i = 0; i < REDUNDANCY_GROUP; i++)
        g.line[i] = vec_all(value + (double)i);
    return g;
}

INLINE void group_next(struct group *g)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < REDUNDANCY_GROUP; i++)
        g->line[i] += vec_all(REDUNDANCY_GROUP);
}

/* The first n lines of a group, and their mirror unless NULL. Returns their XOR. */
INLINE vec group_stream(const struct group *g, double *data, double *mirror, size_t n)
{
    vec_bits parity = { 0 };

#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        line_stream(data + i * LINE_WORDS, g->line[i]);
        if (mirror)
            line_stream(mirror + i * LINE_WORDS, g->line[i]);
        parity ^= (vec_bits)g->line[i];
    }
    return (vec)parity;
}

INLINE void write_groups(double *data, double *mirror, double *parity, double value, size_t bytes)
{
    struct group g = group_first(value);
    size_t lines = bytes / LINE_SIZE;

    while (lines) {
        size_t n = min_u64(lines, REDUNDANCY_GROUP);
        vec sum = n == REDUNDANCY_GROUP ? group_stream(&g, data, mirror, REDUNDANCY_GROUP)
                                        : group_stream(&g, data, mirror, n);

        if (parity) {
            line_stream(parity, sum);
            parity += LINE_WORDS;
        }
        if (mirror)
            mirror += n * LINE_WORDS;
        data += n * LINE_WORDS;
        lines -= n;
        group_next(&g);
    }
}

static void loop_write_plain(double *data, double value, size_t bytes)
{
    write_groups(data, NULL, NULL, value, bytes);
}

static void loop_write_mirror(double *data, double *mirror, double value, size_t bytes)
{
    write_groups(data, mirror, NULL, value, bytes);
}

static void loop_write_parity(double *data, double *parity, double value, size_t bytes)
{
    write_groups(data, NULL, parity, value, bytes);
}

#define REDUNDANT_LOOPS                                                                            \
    .write_plain = loop_write_plain, .write_mirror = loop_write_mirror,                            \
    .write_parity = loop_write_parity
