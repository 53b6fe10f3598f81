// SPDX-License-Identifier: MIT
/*
 * Which lines each memory controller has, by the counters of the reads there
 * (controller/traffic.h). Boot CPU; the other CPUs have nothing to do meanwhile.
 */
#pragma once

#include "controller/traffic.h"
#include "cpus/cpu_pool.h"
#include "diagnosis/module_name.h"
#include "rows/row_map.h"
#include "rows/row_memory.h"

struct read_counting {
    const struct cpu_poll *poll;
    const struct row_memory *memory; /* it has some lines */
    uint64_t random;
    struct traffic traffic;
    struct traffic_counts counts;
};

/*
 * What counting adds to the machine's map (controller/controllers.h), with which timing agrees:
 * reads of lines of each channel are counted there, or, where it is not public which counter is
 * which channel's, together. *ret_why: the reason, if they contradict it or show nothing (by timing
 * alone); NULL: nothing counts.
 */
enum map_evidence read_counting_confirm(struct read_counting *counting, const char **ret_why);

/*
 * Completes the machine's map, which lacks the function that selects one of two controllers: it is
 * the one by which lines are counted, of all that timing shows (NULL: it shows none). NULL: it was
 * found; else the reason, which is that of the machine's map now, unless a stop is requested.
 */
const char *read_counting_complete(struct read_counting *counting, const struct row_map *timed);
