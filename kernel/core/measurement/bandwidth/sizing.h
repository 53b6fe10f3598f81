// SPDX-License-Identifier: MIT
/*
 * How large, how often: the arithmetic of a bandwidth measurement.
 */
#pragma once

#include <stdint.h>

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
#define SIZING_ITERATIONS_MAX 1000000
uint32_t sizing_iterations(uint64_t first, uint64_t target);
