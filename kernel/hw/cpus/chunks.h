// SPDX-License-Identifier: MIT
/* Short work in chunks, which the boot CPU shares with other CPUs where that pays. */
#pragma once

#include <stdint.h>

#define CHUNKS_MAX 256

/* Chunks for which it is worth waking a CPU. */
#define CHUNKS_EACH 4

typedef void (*chunks_work)(void *ctx, uint32_t chunk);

/*
 * Has work done on chunks 0 to n - 1, of CHUNKS_MAX at most, by as many of the n_cpus online CPUs
 * listed as pay, the boot CPU first, and returns when all are done. With none listed the boot CPU
 * is alone. Boot CPU, while all others are idle. What a CPU does not end, as it is lost, the boot
 * CPU does again.
 */
void chunks_run(const uint32_t *cpus, uint32_t n_cpus, uint32_t n, chunks_work work, void *ctx);
