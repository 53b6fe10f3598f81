// SPDX-License-Identifier: MIT
#include "faults/rows_emit.h"

#include "event/events.h"
#include "lib/panic.h"
#include "machine/machine.h"

static struct kept_rows {
    struct row_result result;
    bool is_searched;
} of_node[ROW_NODES_MAX], of_part[DRAM_ZONES_MAX];

void rows_emit(uint32_t node, unsigned part, const struct row_result *result)
{
    struct kept_rows *f = part ? &of_part[part] : &of_node[node];

    ASSERT(node < ROW_NODES_MAX && part < DRAM_ZONES_MAX);
    *f = (struct kept_rows){ *result, true };
    events_send(&(struct event){
        .type = EVENT_ROWS,
        .rows = { .node = machine.nodes.node[node].domain, .result = &f->result } });
}

bool rows_are_searched(uint32_t node)
{
    return node >= ROW_NODES_MAX || of_node[node].is_searched;
}

static const struct row_result *banks_of(const struct kept_rows *f)
{
    return f->is_searched && f->result.map.n_functions ? &f->result : NULL;
}

const struct row_result *banks_of_node(uint32_t node)
{
    return node < ROW_NODES_MAX ? banks_of(&of_node[node]) : NULL;
}

const struct row_result *banks_of_part(unsigned part)
{
    return banks_of(&of_part[part]);
}

const struct row_result *rows_of_node(uint32_t node)
{
    const struct row_result *banks = banks_of_node(node);

    return banks && banks->answer == ROWS_FOUND ? banks : NULL;
}
