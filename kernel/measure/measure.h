// SPDX-License-Identifier: MIT
/*
 * The common core of all measurements: CPUs with a role each begin together, and the time from the
 * first one's start to the last one's end counts. CPUs that only make a load run before, meanwhile
 * and until all others have ended.
 *
 *     measure_clear();
 *     measure_add_stream(...) for each CPU, then measure_mb_s().
 *
 * Memory that is named here loses its content. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bandwidth/load.h"
#include "bandwidth/redundant.h"
#include "bandwidth/stats.h"
#include "bandwidth/stream.h"
#include "event/events.h"
#include "lib/span.h"

/* Up to three arrays of the same size, one behind the other in a node's memory. */
struct measure_arrays {
    uint64_t phys, bytes; /* of the first; of each */
    uint32_t n;
};

/*
 * n arrays of at most `bytes` each in a span of tested memory, whole lines, or smaller ones when it
 * does not hold them. No page of them shares cells with okram's own (self/own_aliases.h).
 */
struct measure_arrays measure_arrays_in(struct span memory, uint64_t bytes, uint32_t n);

/* Once, before plan_make: takes memory of the arena. */
void measure_prepare(uint32_t n_cpus);

/* No CPU has a role. */
void measure_clear(void);

/* A CPU that does `op` on the part number `part` of n_parts of the arrays. */
void measure_add_stream(uint32_t cpu, enum stream_op op, const struct measure_arrays *arrays,
                        uint32_t n_parts, uint32_t part);

/*
 * A CPU that writes its part of n_parts of data.phys, data.bytes, and what makes it redundant to
 * other_phys, where redundancy_other_bytes of data.bytes are free.
 */
void measure_add_redundant(uint32_t cpu, enum redundancy kind, struct span data,
                           uint64_t other_phys, uint32_t n_parts, uint32_t part);

/* The one CPU that follows the chain of measure_build_chain. */
void measure_add_chase(uint32_t cpu, struct span chain);

/* A CPU that makes a load on its part of load_mix_arrays; pause as in load_run. */
void measure_add_load(uint32_t cpu, enum load_mix mix, const struct measure_arrays *arrays,
                      uint32_t n_parts, uint32_t part, uint32_t pause);

/* Whether measuring is to end: the run is stopped, or a CPU is lost (cpus/cpu_pool.h). */
bool measure_is_over(void);

/*
 * Builds a chain over all lines of a span and follows it once, on that CPU: what of it caches still
 * hold then is what comes last. False, with a warning the first time: holes in this memory have
 * broken the chain, and it must not be followed.
 */
bool measure_build_chain(uint32_t cpu, struct span chain);

/* The part of tested memory that a chain lies best in: on huge pages where it may. As above. */
struct span measure_chain_in(struct span memory, uint64_t bytes);

/* How long one run should last about; it is never less than one round of each role. */
#define MEASURE_STREAM_US 15000
#define MEASURE_CHASE_US  4000
#define MEASURE_CACHE_US  2000

/*
 * What the CPUs that are no load did together, in MB (10^6 bytes) a second: one warm-up, which is
 * not counted, then `runs` runs of about run_us. The row is shorter when measuring ends.
 */
struct stats measure_mb_s(uint32_t runs, uint64_t run_us);

/* Likewise, nanoseconds a load of the one CPU that chases. */
struct stats measure_ns(uint32_t runs, uint64_t run_us);

/* What the CPUs that make a load moved meanwhile, as above: the mean of the last row's runs. */
double measure_load_mb_s(void);

struct event_stats measure_event_stats(const struct stats *s);
