// SPDX-License-Identifier: MIT
/*
 * A load on memory that can be turned down, for the curve of latency against the bandwidth that
 * others take meanwhile (the "loaded latency" of Intel's Memory Latency Checker). A CPU that makes
 * the load moves a few lines, waits, and goes on; how long it waits sets how much it moves.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bandwidth/stream.h"

enum load_mix {
    LOAD_READS,  /* reads a */
    LOAD_2_TO_1, /* c = a + b: one line is written, non-temporally, for every two read */
    LOAD_MIXES,
};

/* "reads", "2:1" (reads to writes). */
const char *load_mix_name(enum load_mix mix);

/* How many arrays a mix moves: 1 for LOAD_READS, 3 for LOAD_2_TO_1. */
uint32_t load_mix_arrays(enum load_mix mix);

/* Lines of each array that move between two waits. */
#define LOAD_LINES 8

/* Levels of the curve. */
#define LOAD_LEVELS 8

/* The wait of a level, for load_run: none at level 0, which is the most load, then growing. */
uint32_t load_pause(uint32_t level);

/*
 * Goes once over `bytes`, whole lines, of the mix's arrays, with `pause` rounds of an empty loop,
 * about a cycle each, after every LOAD_LINES lines. All CPUs see what it stored. Returns the bytes
 * moved, as STREAM counts.
 */
uint64_t load_run(const struct stream_ops *ops, enum load_mix mix,
                  const struct stream_arrays *arrays, size_t bytes, uint32_t pause);
