// SPDX-License-Identifier: MIT
#include "testing/displacement.h"

#include "arch/tsc.h"
#include "progress/progress.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "mce/mca.h"
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

static void read_span(const struct cpu_poll *poll, struct span s)
{
    while (s.size && !stop_is_requested()) {
        read_slice(sweep_next_slice(&s, false, SWEEP_SMALL_SLICE));
        cpu_poll(poll);
    }
}

/* Each node has a cache of its own. */
static void read_of_node(const struct run *run, const struct node *node, const struct spans *avoid,
                         uint64_t bytes)
{
    struct span found = { 0, 0 };

    for (size_t i = 0; i < node->n_spans && !found.size; i++)
        found = spans_clear_of(&run->plan.tested, avoid, machine.nodes.span[node->first_span + i],
                               bytes);
    read_span(&run->poll, found);
}

static uint64_t needed_bytes(void)
{
    return CACHES * platform.side_cache.bytes;
}

static void read_of_all(const struct run *run, const struct spans *avoid)
{
    uint64_t began = tsc_elapsed_us();

    if (!needed_bytes() || platform.side_cache.bytes > CACHE_MAX || !own_aliases_are_guarded())
        return;
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        read_of_node(run, &machine.nodes.node[i], avoid, needed_bytes());
    progress_waited(tsc_elapsed_us() - began);
}

static bool is_small(const struct spans *swept)
{
    return spans_bytes(swept) < needed_bytes();
}

void displacement_run(const struct run *run, const struct spans *swept)
{
    if (is_small(swept))
        read_of_all(run, swept);
}

/* Reading part of the swept memory is enough to displace the rest. */
void displacement_before_pause(const struct run *run, const struct spans *swept)
{
    read_of_all(run, is_small(swept) ? swept : &(struct spans){ 0 });
}
