#include "run/bandwidth.h"

#include "run/cache_table.h"
#include "run/contention.h"
#include "run/findings.h"
#include "run/latency.h"
#include "run/loaded_latency.h"
#include "run/lost.h"
#include "run/machine.h"
#include "run/matrix.h"
#include "run/measure.h"
#include "run/notices.h"
#include "run/redundancy.h"
#include "run/scaling.h"
#include "run/watch.h"

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
    watch_phase("bandwidth", 0, "", 0, 0);
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
    if (lost_any())
        warn_print(&notices, "a CPU was lost: bandwidth and latency are not measured further");
    else if (!watch_is_stopped())
        findings_tell();
}
