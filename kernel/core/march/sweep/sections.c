// SPDX-License-Identifier: MIT
#include "sweep/sections.h"

#include "lib/minmax.h"
#include "sweep/engine.h"

#define SMALL (UINT64_C(2) << 20) /* bytes of a section where no lanes need more */

/* With LATE_SHARE sections for each CPU the latest worker begins an eighth of a leg late. */
#define LATE_SHARE 8

#define LANES_MIN (UINT64_C(4) << 20) /* bytes: it still has a hundred lanes */

#define UNORDERED_MIN 64

/* A slice is no larger, and a large one has more lanes; but workers that begin late need many. */
static uint64_t with_lanes(uint64_t worker_bytes, uint32_t n_cpus)
{
    uint64_t bytes = worker_bytes / LATE_SHARE / n_cpus;

    return max_u64(LANES_MIN, min_u64(bytes, SWEEP_SLICE_BYTES));
}

uint32_t sections_count(uint64_t worker_bytes, uint32_t n_cpus, bool has_lanes,
                        bool orders_all_pairs)
{
    uint64_t bytes = has_lanes ? with_lanes(worker_bytes, n_cpus) : SMALL;

    if (!orders_all_pairs)
        bytes = max_u64(LINE_SIZE, min_u64(bytes, worker_bytes / UNORDERED_MIN));
    return order_sections(worker_bytes, bytes);
}
