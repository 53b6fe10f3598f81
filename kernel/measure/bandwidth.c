// SPDX-License-Identifier: MIT
#include "measure/bandwidth.h"

#include "event/notices.h"
#include "machine/machine.h"
#include "measure/cache_table.h"
#include "measure/contention.h"
#include "measure/latency.h"
#include "measure/loaded_latency.h"
#include "measure/matrix.h"
#include "measure/measure.h"
#include "measure/measured_findings.h"
#include "measure/redundancy.h"
#include "measure/scaling.h"
#include "plan/lost_cpus.h"
#include "run/progress.h"

void bandwidth_prepare(const struct options *options)
{
    if (options->bandwidth != OPTION_BANDWIDTH_OFF)
        measure_prepare(machine.n_cpus);
}

void bandwidth_measure(const struct options *options)
{
    uint32_t runs = options->bandwidth_runs;
    bool full = options->bandwidth == OPTION_BANDWIDTH_FULL;

    if (options->bandwidth == OPTION_BANDWIDTH_OFF)
        return;
    progress_phase("bandwidth", 0, "", 0, 0);
    cache_table_measure(runs);
    if (full) {
        latency_curve(runs);
        latency_matrix(runs);
    }
    matrix_measure(runs, full);
    if (full) {
        scaling_measure(runs);
        contention_measure(runs);
        loaded_latency_measure(runs);
        redundancy_measure(runs);
    }
    if (lost_cpus_any())
        warn_print(&notices, "a CPU was lost: bandwidth and latency are not measured further");
    else if (!progress_is_stopped())
        measured_findings_emit();
}
