// SPDX-License-Identifier: MIT
#include "testing/displacement.h"

#include "arch/tsc.h"
#include "emit/progress.h"
#include "event/stop.h"
#include "loop/poll.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "sweep/engine.h"

/* So that a cache that does not replace the oldest line first has replaced nearly all. */
#define CACHES 2

#define CACHE_MAX (UINT64_C(512) << 20)

/* The CPU's own caches must not answer. */
static void read_slice(struct span s)
{
    struct slice slice = share_slice(s);
    struct line_run run = { slice.virt, slice.phys, slice.n_lines, false };

    mca_sweep_begin(s);
    line_ops_flush(&run, machine.cpu.clflushopt);
    for (uint64_t i = 0; i < slice.n_lines; i++)
        (void)*(const volatile uint64_t *)&slice.virt[i];
    mca_sweep_end(s);
}

static void read_span(struct span s)
{
    while (s.size && !stop_is_requested()) {
        read_slice(sweep_next_slice(&s, false, SWEEP_SMALL_SLICE));
        poll_due();
    }
}

/* Each node has a cache of its own. */
static void read_of_node(const struct node *node, const struct pieces *swept, uint64_t bytes)
{
    struct span found = { 0, 0 };

    for (size_t i = 0; i < node->n_spans && !found.size; i++)
        found = pieces_clear_of(&plan.ram, swept, machine.nodes.span[node->first_span + i], bytes);
    read_span(found);
}

void displacement_run(const struct pieces *swept)
{
    uint64_t bytes = CACHES * machine.side_cache.bytes, began = tsc_elapsed_us();

    if (!bytes || machine.side_cache.bytes > CACHE_MAX || pieces_tested_bytes(swept) >= bytes ||
        !own_aliases_are_guarded())
        return;
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        read_of_node(&machine.nodes.node[i], swept, bytes);
    progress_waited(tsc_elapsed_us() - began);
}
