// SPDX-License-Identifier: MIT
#include "measure/measured_findings.h"

#include "bandwidth/findings.h"
#include "event/notices.h"
#include "machine/machine.h"
#include "measure/latency.h"
#include "measure/matrix.h"

static double best_remote_mb_s(uint32_t node)
{
    double best = 0;

    for (uint32_t to = 0; to < machine.nodes.n_nodes; to++) {
        double mb_s = to == node ? 0 : matrix_read_mb_s(node, to);

        best = mb_s > best ? mb_s : best;
    }
    return best;
}

void measured_findings_emit(void)
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
    findings_after(&in, &notices);
}
