// SPDX-License-Identifier: MIT
/*
 * The common core of all measurements. Each CPU has a role; all begin together, and the time from
 * the first start to the last end counts. CPUs that only make a load run before, meanwhile and
 * until all others have ended.
 *
 *     roles_clear();
 *     role_add_stream(...) for each CPU, then measure_mb_s();
 *
 * or measure_in_turns() with a function that does this for each of the measurements.
 *
 * Memory that is measured loses its content. Boot CPU only.
 *
 * The folder: bandwidth.h runs the measurements that bandwidth= asks for: its own matrix, and those
 * of parts.h and latency.h. They take CPUs and memory from sites.h, and give CPUs their roles
 * (role.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"
#include "event/events.h"
#include "lib/span.h"
#include "measure/sites.h"

/* Whether measuring is to end: the run is stopped, or a CPU is lost (cpus/cpu_pool.h). */
bool measure_is_over(void);

/*
 * Builds a chain over lines of a span and follows it once, on that CPU, so that caches then hold
 * its end, not its beginning. False, with a warning the first time: the memory is faulty, and the
 * damaged chain must not be followed.
 */
bool measure_build_chain(const struct bench *bench, uint32_t cpu, struct span chain,
                         enum chase_lines lines);

/* About how long one run should last without bandwidth.ms=; it is at least one round of each role.
 */
#define MEASURE_STREAM_US 15000
#define MEASURE_CHASE_US  4000
#define MEASURE_CACHE_US  2000

/* What the CPUs that do not make a load did together. */
enum measure_unit {
    MEASURE_MB_S, /* MB (10^6 bytes) a second */
    MEASURE_NS,   /* nanoseconds a load of the one CPU that chases */
};

/* The most measurements that can be compared. */
#define COMPARED_MAX 64

/*
 * Measurements that are compared with each other. They are run in turns (turn_order,
 * bandwidth/sizing.h), so that a drift of the machine is no difference between them.
 */
struct comparison {
    enum measure_unit unit;
    uint64_t run_us; /* about how long a run lasts */
    uint32_t n;
    void (*take_roles)(void *ctx, uint32_t which); /* before each run; NULL: they stay */
    void *ctx;
};

/* Of the runs of one measurement. */
struct measured {
    struct event_stats value;
    struct event_stats longer;    /* per cent of time that the same takes more than in the first
                                     measurement in the same turn; best: the least */
    struct event_stats load_mb_s; /* what the CPUs that make a load moved meanwhile */
};

/*
 * One warm-up of each measurement, which is not counted, then bench->runs turns. There are fewer if
 * measuring ends early. A turn in which a time stamp counter went back does not count, either; if
 * it does so all the time, there are no runs.
 */
void measure_in_turns(const struct bench *bench, const struct comparison *c,
                      struct measured *ret_measured);

/* One measurement alone, of the roles as they are. */
struct event_stats measure_mb_s(const struct bench *bench, uint64_t run_us);
struct event_stats measure_ns(const struct bench *bench, uint64_t run_us);

/*
 * Why figures are not there that bandwidth= asks for: unmeasured events.
 */

/* Why there is no latency where there is memory. */
#define FAULTY_CHAIN "the memory is faulty: a pointer chain in it is damaged"

#define ONE_CPU_ALONE "only one CPU is in use"

/*
 * Says why figures of a node's CPUs with a node's memory are not there, unless measuring is over;
 * SITES_NONE: of all.
 */
void unmeasured_send(const char *what, uint32_t cpu_node, uint32_t mem_node, const char *why);

/* Whether there are runs; if not, says why. */
bool unmeasured_has_runs(const struct event_stats *s, const char *what, uint32_t cpu_node,
                         uint32_t mem_node);
