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

/* False: nothing counts, as traffic_begin() says; else traffic_end() follows. */
bool read_counting_begin(struct read_counting *counting, const char **ret_unknown);

/*
 * Whether reads of lines that the machine's map (controller/controllers.h) has in a channel are
 * counted there, for all of the channels, or for those of a zone, which has the memory then; else
 * the first answer that is not so. A stop leaves it unclear.
 */
enum traffic_verdict read_counting_compare(struct read_counting *counting,
                                           const struct dram_zone *zone);

/*
 * Where it is not public which counter is which channel's: whether reads of the lines of each
 * channel are counted together. *ret_why: the reason, if they are not, or NULL: nothing counts.
 */
enum traffic_verdict read_counting_group(struct read_counting *counting, const char **ret_why);

/*
 * Completes the machine's map, which lacks the function that selects one of two controllers: it is
 * the one by which lines are counted, of all that timing shows (NULL: it shows none). The memory is
 * that of the map's first zone. NULL: it was found; else the reason, which is that of the machine's
 * map now, unless a stop is requested.
 */
const char *read_counting_complete(struct read_counting *counting, const struct row_map *timed);
