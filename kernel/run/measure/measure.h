// SPDX-License-Identifier: MIT
/*
 * The common core of all measurements. Each CPU has a role; all begin together, and the time from
 * the first start to the last end counts. CPUs that only make a load run before, meanwhile and
 * until all others have ended.
 *
 *     roles_clear();
 *     role_add_stream(...) for each CPU, then measure_mb_s().
 *
 * Memory that is measured loses its content. Boot CPU only.
 *
 * The folder: bandwidth.h runs the measurements that bandwidth= asks for: cache_table.h, latency.h,
 * matrix.h, scaling.h, contention.h, loaded_latency.h and redundancy.h. They take CPUs and memory
 * from sites.h and arrays.h, and give CPUs their roles (role.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/sizing.h"
#include "event/events.h"
#include "lib/span.h"
#include "measure/sites.h"

/* Whether measuring is to end: the run is stopped, or a CPU is lost (cpus/cpu_pool.h). */
bool measure_is_over(void);

/*
 * Builds a chain over all lines of a span and follows it once, on that CPU, so that caches then
 * hold its end, not its beginning. False, with a warning the first time: the memory is faulty, and
 * the damaged chain must not be followed.
 */
bool measure_build_chain(const struct bench *bench, uint32_t cpu, struct span chain);

/* About how long one run should last; it is at least one round of each role. */
#define MEASURE_STREAM_US 15000
#define MEASURE_CHASE_US  4000
#define MEASURE_CACHE_US  2000

/*
 * What the CPUs that do not make a load did together, in MB (10^6 bytes) a second: one warm-up,
 * which is not counted, then the runs of about run_us. There are fewer runs if measuring ends
 * early.
 */
struct event_stats measure_mb_s(const struct bench *bench, uint64_t run_us);

/* Like measure_mb_s, but nanoseconds a load of the one CPU that chases. */
struct event_stats measure_ns(const struct bench *bench, uint64_t run_us);

/* What the CPUs that make a load moved meanwhile, as above: in the last row's runs. */
struct event_stats measure_load_mb_s(void);
