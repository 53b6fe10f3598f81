// SPDX-License-Identifier: MIT
/*
 * What was measured of the machine's memory, as far as the screen's pages show it. All lists are
 * bounded: an n counts all that were received, the first ones are kept.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bandwidth/stream.h"
#include "event/events.h"
#include "memory/nodes.h"

#define MEASURED_NODES_MAX        8 /* of a matrix */
#define MEASURED_CACHES_MAX       6
#define MEASURED_CURVE_MAX        80
#define MEASURED_STEPS_MAX        40
#define MEASURED_LOADS_MAX        18
#define MEASURED_CONTENTIONS_MAX  112 /* eight nodes: local and remote, each with seven others */
#define MEASURED_REDUNDANCIES_MAX 18

struct measured_cache {
    uint32_t level; /* 0: memory */
    uint64_t size_bytes;
    double mb_s, ns;
};

struct measured_rate {
    double mb_s, stddev;
    uint32_t threads; /* 0: not measured */
};

enum measured_cpus {
    MEASURED_ALL, /* the CPUs of a node */
    MEASURED_ONE, /* one of them */
    MEASURED_CPUS,
};

struct measured_point {
    uint64_t size_bytes;
    double ns;
};

enum measured_order { MEASURED_FILL, MEASURED_SPREAD, MEASURED_ORDERS };

enum measured_scaling { MEASURED_TRIAD, MEASURED_READ, MEASURED_SCALINGS };

struct measured_steps {
    struct measured_rate step[MEASURED_STEPS_MAX];
    size_t n;
};

enum measured_mix { MEASURED_READS, MEASURED_2_TO_1, MEASURED_MIXES };

struct measured_loads {
    struct {
        double load_mb_s, ns;
    } level[MEASURED_LOADS_MAX];
    size_t n;
};

struct measured_contention {
    uint32_t cpu_node, mem_node, load_node;
    double idle_mb_s, loaded_mb_s, idle_ns, loaded_ns;
};

struct measured_redundancy {
    uint32_t cpu_node, mem_node, other_node;
    double plain_mb_s;
    struct {
        double mb_s, cost_percent;
    } mirror, parity; /* mb_s 0: not measured yet, here and above */
};

struct measured {
    uint32_t node[NODES_MAX]; /* proximity domains, in order of arrival */
    size_t n_nodes;

    struct measured_cache cache[MEASURED_CACHES_MAX];
    size_t n_caches;

    /* By place in node[]: the CPUs' first, then the memory's. */
    struct measured_rate matrix[STREAM_OPS][MEASURED_CPUS][MEASURED_NODES_MAX][MEASURED_NODES_MAX];
    double latency_ns[MEASURED_NODES_MAX][MEASURED_NODES_MAX]; /* 0: not measured */

    struct measured_point curve[MEASURED_CURVE_MAX]; /* by size, of the first pair of nodes */
    size_t n_curve;
    uint32_t curve_cpu_node, curve_mem_node;

    struct measured_steps scaling[MEASURED_SCALINGS][MEASURED_ORDERS];
    struct measured_loads loaded[MEASURED_MIXES];
    uint32_t loaded_cpu_node, loaded_mem_node;

    struct measured_contention contention[MEASURED_CONTENTIONS_MAX];
    size_t n_contentions;
    struct measured_redundancy redundancy[MEASURED_REDUNDANCIES_MAX];
    size_t n_redundancies;
};

/* Where in node[] a proximity domain is, or NODES_MAX. */
size_t measured_node(const struct measured *m, uint32_t domain);

/* Keeps what it shows; ignores events of other types. */
void measured_receive(struct measured *m, const struct event *e);
