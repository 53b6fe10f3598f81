// SPDX-License-Identifier: MIT
#include "measure/parts.h"
#include "measure/bandwidth.h"

#include "calibration/selection.h"
#include "event/notices.h"
#include "event/stop.h"
#include "findings/findings.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/matrix.h"
#include "measure/prefetch.h"
#include "measure/role.h"
#include "measure/unmeasured.h"
#include "plan/lost_cpus.h"
#include "progress/progress.h"
#include "saver/saving.h"

void bandwidth_prepare(const struct options *options)
{
    if (options->bandwidth != OPTION_BANDWIDTH_OFF)
        roles_prepare(machine.n_cpus);
}

/* Warns of the findings in the figures and in firmware's tables (findings/findings.h). */
static void warn_of_findings(void)
{
    static struct findings_node node[NODES_MAX];
    struct findings_input in;

    machine_findings(node, &in);
    in.read_mb_s = matrix_read_mb_s;
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++)
        node[i].array_bytes = matrix_array_bytes(i);
    findings_measured(&in, &notices);
}

/* What bandwidth.isa= names, or the widest that all CPUs have. */
static const struct stream_ops *chosen_ops(const struct options *options)
{
    const char *name = option_isa_name(options->bandwidth_isa);
    const struct stream_ops *ops = stream_ops_choose(selection_features(), name);

    if (ops)
        return ops;
    selection_note_no_isa("bandwidth.isa", name);
    return stream_ops_choose(selection_features(), NULL);
}

/* Rows and columns that no matrix has. */
static void note_nodes(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];

    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        if (!sites_cpus(bench, n, cpus))
            unmeasured_send("all", n, SITES_NONE, "no CPU of the node is in use");
        if (!sites_memory(bench, n).size)
            unmeasured_send("all", SITES_NONE, n,
                            machine.nodes.node[n].ram_bytes
                                ? "no 1 MiB of the node's memory is tested in one piece"
                                : "the node has no memory");
    }
}

static void measure_all(const struct bench *bench, bool full)
{
    note_nodes(bench);
    cache_table_measure(bench);
    if (full) {
        latency_curve(bench);
        latency_matrix(bench);
        cache_to_cache_measure(bench);
    }
    matrix_measure(bench, full);
    if (full) {
        scaling_measure(bench);
        contention_measure(bench);
        loaded_latency_measure(bench);
        redundancy_measure(bench);
    }
}

void bandwidth_measure(struct run *run)
{
    const struct options *options = &run->options;
    const struct bench bench = { &run->shares, &run->poll, options->bandwidth_runs,
                                 options->bandwidth_ms * UINT64_C(1000) };

    if (options->bandwidth == OPTION_BANDWIDTH_OFF)
        return;
    saving_wait(run->saver, &run->poll);
    if (lost_cpus_any())
        lost_cpus_drop(&run->shares);
    roles.ops = chosen_ops(options);
    progress_phase("bandwidth", 0, "", 0, 0);
    if (options->prefetch_off)
        roles.prefetch = prefetch_turn_off(&bench);
    measure_all(&bench, options->bandwidth == OPTION_BANDWIDTH_FULL);
    prefetch_put_back(&bench);
    if (lost_cpus_any())
        notice("a CPU was lost: bandwidth and latency are not measured further");
    else if (!stop_is_requested())
        warn_of_findings();
}
