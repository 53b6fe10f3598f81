// SPDX-License-Identifier: MIT
/* Spans in a buffer of their owner's: a function that lists spans adds them to it. */
#pragma once

#include <stddef.h>

#include "lib/panic.h"
#include "lib/span.h"
#include "memory/arena.h"
#include "memory/pieces.h"

struct span_list {
    struct span *span;
    size_t n, max;
};

/* An empty list of at most max spans, with memory of the arena. */
static inline struct span_list span_list_alloc(size_t max)
{
    return (struct span_list){ .span = arena_alloc(max * sizeof(struct span)), .max = max };
}

/* As many pieces, with memory of the arena. */
static inline struct pieces pieces_alloc(size_t max)
{
    return (struct pieces){ .piece = arena_alloc(max * sizeof(struct piece)), .max = max };
}

static inline void span_list_add(struct span_list *list, struct span span)
{
    ASSERT(list->n < list->max);
    list->span[list->n++] = span;
}
