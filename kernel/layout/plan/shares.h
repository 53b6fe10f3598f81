// SPDX-License-Identifier: MIT
/*
 * Who tests what: each CPU gets a share of its own node's memory, in proportion to its speed, so
 * that all need the same time. A CPU whose node has no memory helps the nearest node that has;
 * memory of a node without workers of its own is shared by all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/srat.h"
#include "lib/spans.h"
#include "lib/status.h"
#include "memory/nodes.h"

/* The speed of the fastest CPU. */
#define WORKER_FULL_SPEED 1000

struct worker {
    uint32_t cpu;   /* its number */
    uint32_t node;  /* index into node_map */
    uint32_t speed; /* at most WORKER_FULL_SPEED; 0: unknown, counts as that */
};

/* A part of memory that one CPU sweeps. */
struct share_part {
    uint32_t worker;  /* index into the workers given */
    struct span span; /* whole lines */
};

/* What is shared, and among whom. */
struct shared {
    const struct node_map *nodes;
    const struct slit *slit;
    const struct spans *tested;
    const struct worker *workers;
    size_t n_workers;
};

/* A node's spans and what is tested cut each other, and each worker cuts once a node. */
#define SHARES_PARTS_MAX(n_spans, n_tested, n_nodes, n_workers)                                    \
    ((n_spans) + (n_tested) + (n_nodes) * ((n_workers) + 1))

/*
 * Cuts all that is tested into parts, sorted by worker, then by address: worker w's are from
 * part[first[w]] to part[first[w + 1] - 1]. first has n_workers + 1 entries. Every tested byte is
 * in exactly one part. max: SHARES_PARTS_MAX is always enough. STATUS_NOT_FOUND: there are no
 * workers.
 */
enum status shares_make(const struct shared *of, struct share_part *part, size_t max,
                        size_t *first);

/*
 * Memory of a share can be cut at the borders of some parts of it (cuts), each of which is kept or
 * left out. Spans are cut in the same places whichever cuts are left out.
 */
enum {
    CUT_KEPT = 1,
    CUT_LEFT_OUT,
};

/* No word of it is 0, if its base is not: self/own_aliases.c. */
struct cut {
    struct span span; /* not empty */
    uint64_t state;   /* CUT_KEPT or CUT_LEFT_OUT */
};

/*
 * Takes memory from the beginning of `left`, or down: from its end, as far as it is in one cut, or
 * in none. left is not empty. first to past - 1: the cuts, disjoint, by address.
 */
struct span cuts_next(const struct cut *first, const struct cut *past, struct span *left, bool down,
                      bool *ret_left_out);
