// SPDX-License-Identifier: MIT
/* Short work in chunks, which the boot CPU shares with other CPUs if that is faster. */
#pragma once

#include <stdint.h>

#define CHUNKS_MAX 256

/* Chunks for which it is worth waking a CPU. */
#define CHUNKS_EACH 4

typedef void (*chunks_work)(void *ctx, uint32_t chunk);

/*
 * Has work done on chunks 0 to n - 1, of CHUNKS_MAX at most, by as many of the n_cpus online CPUs
 * listed as are worth waking, the boot CPU first, and returns when all are done. If none is listed
 * the boot CPU is alone. Boot CPU, while all others are idle. The boot CPU repeats what a lost CPU
 * has not finished.
 */
void chunks_run(const uint32_t *cpus, uint32_t n_cpus, uint32_t n, chunks_work work, void *ctx);
