// SPDX-License-Identifier: MIT
/*
 * The groups of okram's memory: two copies must not be close together, where one fault could damage
 * both. Each group has a place of its own: on different nodes if there are two, otherwise far from
 * each other.
 *
 * okram's memory is mapped as one, allocations one after the other; a segment of it is of one
 * group.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"
#include "memory/nodes.h"
#include "memory/page_list.h"

enum group {
    GROUP_MAIN,  /* the image, all that has no copy, and the first copies */
    GROUP_SPARE, /* the second copies */
    GROUP_THIRD, /* the third copies */
    GROUPS,
};

#define GROUPS_SEGMENTS_MAX 16

struct groups {
    struct {
        enum group group;
        uint64_t bytes; /* whole pages */
    } segment[GROUPS_SEGMENTS_MAX];
    size_t n;
};

/* The next whole pages are of that group. */
void groups_add(struct groups *groups, enum group group, uint64_t bytes);

/* All bytes of a group. */
uint64_t groups_bytes(const struct groups *groups, enum group group);

/*
 * Makes one place of all segments, in their order, from a place for each group, which has at least
 * the group's bytes. STATUS_NO_SPACE: the runs do not fit in ret_place.
 */
enum status groups_join(const struct groups *groups, const struct page_list place[GROUPS],
                        struct page_list *ret_place);

/* Free memory, sorted and disjoint; the nodes, and the main group's: an index into nodes->node. */
struct free_memory {
    const struct node_map *nodes;
    uint32_t own_node;
    const struct span *span;
    size_t n;
};

/* The spans for which groups_order needs room. */
#define GROUPS_ORDER_MAX(n_free, n_node_spans) ((n_free) + (n_node_spans) + 2)

/*
 * Writes the free spans in the order in which a group looks for its place, and returns their
 * number. The first ret_n_preferred of them are where the group should be; in the others it is with
 * another group. The rest is the other nodes' memory, or, if they have none, the last quarter.
 * Between its places okram leaves one large piece, as the arrays of the bandwidth measurements
 * need.
 *
 *   main    own node; rest
 *   third   rest, from its beginning; own node
 *   spare   the last quarter of the rest, in which 64 MiB have room for okram's three places; the
 *           rest, from its beginning; own node
 */
size_t groups_order(const struct free_memory *memory, enum group group, struct span *ret_order,
                    size_t *ret_n_preferred);
