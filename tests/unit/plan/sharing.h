// SPDX-License-Identifier: MIT
/* What tests of sharing share: a machine made by hand, and what is true of all shares. */
#pragma once

#include "plan/share.c" /* how it is cut into parts */
#include "tests/unit/unit.h"

#define WORKERS_MAX 80
#define TESTED_MAX  8192
#define TEST_NODES  5
#define SLIT_SIDE   (2 * TEST_NODES)

static struct node_map nodes;
static struct span tested_span[TESTED_MAX];
static struct spans all_tested;
static struct slit slit;
static struct worker worker[WORKERS_MAX];
static size_t n_workers;
static struct share_part *part;
static size_t first[WORKERS_MAX + 1];

static inline void begin(void)
{
    memset(&nodes, 0, sizeof(nodes));
    all_tested = (struct spans){ .span = tested_span, .max = TESTED_MAX };
    slit = (struct slit){ 0 };
    n_workers = 0;
}

/* Domains are not indices: node n's is 2n. Its spans come before those of the next. */
static inline void add_node(const struct span *span, size_t n)
{
    struct node *node = &nodes.node[nodes.n_nodes];

    *node = (struct node){ 2 * nodes.n_nodes, 0, nodes.n_spans, n };
    nodes.n_nodes++;
    for (size_t i = 0; i < n; i++) {
        nodes.span[nodes.n_spans++] = span[i];
        node->ram_bytes += span[i].size;
    }
}

static inline void add_tested(uint64_t base, uint64_t size)
{
    assert_true(spans_append(&all_tested, (struct span){ base, size }));
}

static inline void add_workers(uint32_t node, size_t n)
{
    while (n--) {
        worker[n_workers] = (struct worker){ .cpu = 100 + (uint32_t)n_workers, .node = node };
        n_workers++;
    }
}

static inline size_t parts_of(size_t w)
{
    return first[w + 1] - first[w];
}

/* What is true of all shares. The list has exactly the room that the header asks for. */
static inline void share(void)
{
    size_t max = SHARES_PARTS_MAX(nodes.n_spans, all_tested.n, nodes.n_nodes, n_workers);
    const struct shared shared = { &nodes, &slit, &all_tested, worker, n_workers };
    uint64_t bytes = 0;

    free(part);
    part = malloc(max * sizeof(*part));
    assert_non_null(part);
    memset(first, 0xaa, sizeof(first));
    assert_int_equal(shares_make(&shared, part, max, first), STATUS_OK);
    assert_int_equal(first[0], 0);
    assert_true(first[n_workers] <= max);
    for (size_t w = 0; w < n_workers; w++) {
        assert_true(first[w] <= first[w + 1]);
        for (size_t i = first[w]; i < first[w + 1]; i++) {
            struct span s = part[i].span;

            assert_int_equal(part[i].worker, w);
            assert_true(s.size > 0);
            assert_int_equal((s.base | s.size) % LINE_SIZE, 0);
            assert_true(i == first[w] || span_end(part[i - 1].span) <= s.base);
            bytes += s.size;
        }
    }
    assert_int_equal(bytes, spans_bytes(&all_tested));
}

/* Rows and columns are domains; the odd ones are nobody's. */
static uint8_t distance[SLIT_SIDE * SLIT_SIDE];

static inline void set_distance(uint32_t from, uint32_t to, uint8_t d)
{
    distance[2 * from * SLIT_SIDE + 2 * to] = d;
}

static inline void use_slit(void)
{
    slit = (struct slit){ SLIT_SIDE, distance };
    for (uint32_t i = 0; i < SLIT_SIDE * SLIT_SIDE; i++)
        distance[i] = i % (SLIT_SIDE + 1) == 0 ? SLIT_LOCAL : 255;
}

int group_tear_down(void **state)
{
    free(part);
    return 0;
}
