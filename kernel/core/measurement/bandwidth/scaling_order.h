// SPDX-License-Identifier: MIT
/*
 * Scaling: in which order CPUs join a measurement, and with how many it is repeated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum scaling_order {
    SCALING_FILL,   /* all CPUs of a node before the next node's */
    SCALING_SPREAD, /* a CPU of each node in turn, while it has any left */
    SCALING_ORDERS,
};

/* "fill", "spread". */
const char *scaling_order_name(enum scaling_order order);

/* The most CPUs that can be ordered. */
#define SCALING_CPUS_MAX 8192

/*
 * The order of n_cpus CPUs, of which the one of index i belongs to the node cpu_node[i]: ret_index
 * becomes a permutation of 0 … n_cpus - 1. Nodes come by their numbers, CPUs of a node by their
 * indices.
 */
void scaling_order_make(enum scaling_order order, const uint32_t *cpu_node, uint32_t n_cpus,
                        uint32_t *ret_index);

/* The CPUs up to which every count is measured; then SCALING_STEPS_A_DOUBLING. */
#define SCALING_EVERY_COUNT      16
#define SCALING_STEPS_A_DOUBLING 4

/* Counts that n_cpus up to 2^32 may take. */
#define SCALING_COUNTS_MAX (SCALING_EVERY_COUNT + SCALING_STEPS_A_DOUBLING * 28 + 1)

/*
 * The numbers of threads to measure with n_cpus CPUs, 1 or more: growing, the first is 1 and the
 * last n_cpus. At most `max` (2 or more) are written; where more are due, the largest ones but the
 * last are left out. Returns how many.
 */
size_t scaling_order_counts(uint32_t n_cpus, uint32_t *ret_threads, size_t max);
