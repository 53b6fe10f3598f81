// SPDX-License-Identifier: MIT
#include "measure/bandwidth.h"

#include "event/notices.h"
#include "event/stop.h"
#include "findings/findings.h"
#include "machine/machine.h"
#include "measure/cache_table.h"
#include "measure/contention.h"
#include "measure/latency.h"
#include "measure/loaded_latency.h"
#include "measure/matrix.h"
#include "measure/redundancy.h"
#include "measure/role.h"
#include "measure/scaling.h"
#include "plan/lost_cpus.h"

void bandwidth_prepare(const struct options *options)
{
    if (options->bandwidth != OPTION_BANDWIDTH_OFF)
        roles_prepare(machine.n_cpus);
}

static double best_remote_mb_s(uint32_t node)
{
    double best = 0;

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        double mb_s = to == node ? 0 : matrix_read_mb_s(node, to);

        best = mb_s > best ? mb_s : best;
    }
    return best;
}

/* Warns of the findings in the figures and in firmware's tables (findings/findings.h). */
static void warn_of_findings(void)
{
    static struct findings_node node[NODES_MAX];
    struct findings_input in;

    machine_findings(node, &in);
    for (uint32_t i = 0; i < machine.nodes.n_nodes; i++) {
        node[i].local_mb_s = matrix_read_mb_s(i, i);
        node[i].best_remote_mb_s = best_remote_mb_s(i);
        node[i].local_ns = latency_own_ns(i);
        node[i].array_bytes = matrix_array_bytes(i);
    }
    findings_measured(&in, &notices);
}

void bandwidth_measure(const struct shares *shares, const struct options *options)
{
    uint32_t runs = options->bandwidth_runs;
    bool full = options->bandwidth == OPTION_BANDWIDTH_FULL;

    if (options->bandwidth == OPTION_BANDWIDTH_OFF)
        return;
    cache_table_measure(shares, runs);
    if (full) {
        latency_curve(shares, runs);
        latency_matrix(shares, runs);
    }
    matrix_measure(shares, runs, full);
    if (full) {
        scaling_measure(shares, runs);
        contention_measure(shares, runs);
        loaded_latency_measure(shares, runs);
        redundancy_measure(shares, runs);
    }
    if (lost_cpus_any())
        notice("a CPU was lost: bandwidth and latency are not measured further");
    else if (!stop_is_requested())
        warn_of_findings();
}
