// SPDX-License-Identifier: MIT
#include "faults/rows_emit.h"

#include "event/events.h"
#include "lib/panic.h"
#include "machine/machine.h"

static struct row_result found[ROW_NODES_MAX];
static bool is_searched[ROW_NODES_MAX];

void rows_emit_zone(uint32_t node, const struct row_result *result)
{
    events_send(
        &(struct event){ .type = EVENT_ROWS,
                         .rows = { .node = machine.nodes.node[node].domain, .result = result } });
}

void rows_emit(uint32_t node, const struct row_result *result)
{
    ASSERT(node < ROW_NODES_MAX);
    found[node] = *result;
    is_searched[node] = true;
    rows_emit_zone(node, &found[node]);
}

bool rows_are_searched(uint32_t node)
{
    return node >= ROW_NODES_MAX || is_searched[node];
}

const struct row_result *banks_of_node(uint32_t node)
{
    return node < ROW_NODES_MAX && is_searched[node] && found[node].map.n_functions ? &found[node]
                                                                                    : NULL;
}

const struct row_result *rows_of_node(uint32_t node)
{
    const struct row_result *banks = banks_of_node(node);

    return banks && banks->answer == ROWS_FOUND ? banks : NULL;
}
