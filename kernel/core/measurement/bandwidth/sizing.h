// SPDX-License-Identifier: MIT
/*
 * The arithmetic of measurements: how large, how often, on how many CPUs in which order, and what a
 * row of values comes to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpudata/cache_info.h"

/* STREAM's rule for an array: at least four times all the last-level caches that may hold it. */
#define SIZING_CACHE_FACTOR 4

/* The least an array should have, also where the caches are unknown. */
#define SIZING_ARRAY_MIN_BYTES (UINT64_C(64) << 20)

/*
 * Bytes for each of n_arrays (1 or more) arrays that together are in available_bytes of memory:
 * SIZING_CACHE_FACTOR times cache_bytes and at least SIZING_ARRAY_MIN_BYTES, or less when not so
 * much is available; whole lines. 0: there is not even a line for each. Who gets less than
 * SIZING_CACHE_FACTOR * cache_bytes measures caches in part, and should say so.
 */
uint64_t sizing_array_bytes(uint64_t cache_bytes, uint64_t available_bytes, uint32_t n_arrays);

struct sizing_part {
    uint64_t offset, bytes;
};

/*
 * The part of an array of whole lines that the CPU number `cpu` of n_cpus works on. Parts are whole
 * lines, are one after the other, differ by at most a line, and are the whole array together. With
 * more CPUs than lines some are empty.
 */
struct sizing_part sizing_part(uint64_t array_bytes, uint32_t n_cpus, uint32_t cpu);

/*
 * How often to repeat what took `first` ticks once, so that all repeats take about `target` ticks
 * (of the same clock): at least 1, at most SIZING_ITERATIONS_MAX.
 */
#define SIZING_ITERATIONS_MAX 1000000000
uint32_t sizing_iterations(uint64_t first, uint64_t target);

/* The least size of the curve of latency over growing chains: first-level caches hold it. */
#define CURVE_MIN_BYTES (UINT64_C(16) << 10)

/* The most sizes there can be: two for each doubling up to 2^64. */
#define CURVE_SIZES_MAX 100

/*
 * The sizes of the curve (lmbench's lat_mem_rd): every 2^k and 1.5 * 2^k bytes from CURVE_MIN_BYTES
 * up to max_bytes, growing. At most `max` are written, the smallest ones. Returns how many: 0 if
 * max_bytes is less than the least size.
 */
size_t curve_sizes(uint64_t max_bytes, uint64_t *ret_bytes, size_t max);

/* As the level of curve_cache_bytes: beyond all caches. */
#define CURVE_MEMORY 0

/*
 * The bytes of an array that measures the data or unified cache of `level`, as one CPU sees it, by
 * going over it again and again: half of the cache, or more (three quarters at most) if the cache
 * of the level before would hold much of that; whole lines. 0: there is no such cache.
 *
 * CURVE_MEMORY: SIZING_CACHE_FACTOR times the last level, and at least SIZING_ARRAY_MIN_BYTES.
 */
uint64_t curve_cache_bytes(const struct cache_info *info, uint32_t level);

/* In which order CPUs join a measurement. */
enum scaling_order {
    SCALING_FILL,      /* all CPUs of a node before the next node's */
    SCALING_SPREAD,    /* a CPU of each node in turn, while it has any left */
    SCALING_EFFICIENT, /* a hybrid machine's efficiency cores alone, as SCALING_FILL */
    SCALING_ORDERS,
};

/* "fill", "spread", "efficient". */
const char *scaling_order_name(enum scaling_order order);

/* In this order they join: siblings are threads of a core of which a thread is there already. */
enum scaling_place { SCALING_CORE, SCALING_EFFICIENT_CORE, SCALING_SIBLING, SCALING_PLACES };

struct scaling_cpu {
    uint32_t index; /* of CPUs with the same place and node, the lower one comes first */
    uint32_t node;
    uint32_t core; /* the same number: threads of one core */
    bool is_efficient;
    enum scaling_place place; /* from here on set by scaling_order_make */
    uint32_t before;          /* how many of its place and node come before it */
};

/*
 * Sorts CPUs into the order in which they join: by place, and within it by the order; nodes come by
 * their numbers. Returns how many join; with SCALING_EFFICIENT 0 when there are no others to be
 * apart from.
 */
uint32_t scaling_order_make(enum scaling_order order, struct scaling_cpu *cpus, uint32_t n_cpus);

/* The CPUs up to which every count is measured; then SCALING_STEPS_A_DOUBLING. */
#define SCALING_EVERY_COUNT      16
#define SCALING_STEPS_A_DOUBLING 4

/* Counts that 2^13 CPUs may take. */
#define SCALING_COUNTS_MAX (SCALING_EVERY_COUNT + SCALING_STEPS_A_DOUBLING * 9 + SCALING_PLACES)

/*
 * The numbers of threads to measure, of 1 or more CPUs in their order: growing, the first is 1, the
 * last n_cpus, and all of a place are among them. ret_threads has room for SCALING_COUNTS_MAX;
 * where more are due, the largest ones but the last are left out. Returns how many.
 */
size_t scaling_order_counts(const struct scaling_cpu *cpus, uint32_t n_cpus, uint32_t *ret_threads);

/*
 * Measurements that are compared are run in turns, so that a clock or a memory that becomes slower
 * meanwhile is not taken for a difference between them. Every other turn goes backwards: a steady
 * drift then shifts all means alike, in an odd number of turns all but 1/turns of one turn's drift.
 *
 * Which of n measurements comes at place `at`, 0 to n - 1, of a turn.
 */
uint32_t turn_order(uint32_t n, uint32_t turn, uint32_t at);

/*
 * Mean and spread of a row of measurements, kept while they come: B. P. Welford, "Note on a Method
 * for Calculating Corrected Sums of Squares and Products", Technometrics 4(3), 1962. It loses no
 * digits to cancellation, however small the spread is compared with the mean.
 *
 * An empty row is `struct stats s = { 0 };`, and its mean, min and max are 0.
 */
struct stats {
    uint64_t n;
    double mean, min, max;
    double squares; /* sum of (x - mean)^2 */
};

/* Takes one more value, which is finite. */
void stats_add(struct stats *s, double x);

/* The sample standard deviation (divisor n - 1); not a number for fewer than two values. */
double stats_stddev(const struct stats *s);
