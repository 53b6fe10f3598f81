// SPDX-License-Identifier: MIT
/*
 * How fast each CPU sweeps its own node's memory while all others do the same, and the shares of
 * memory by that speed. All CPUs go through a test in step (sweep/order.h), so with equal shares
 * the slowest would set the pace: cores of another kind, cores that firmware has slowed down, CPUs
 * to which a host gives less time. Boot CPU, between tests.
 */
#pragma once

#include <stdint.h>

#include "calibration/calibration.h"
#include "sweep/line_ops.h"

/*
 * Measures all workers, whose memory's content is lost, and shares memory out by their speeds.
 * Takes some milliseconds if all are alike, otherwise some tenths of a second at most. If the CPUs'
 * time stamp counters have different rates, all count as equally fast.
 */
void speeds_measure(struct trials trials, const struct line_ops *ops);

/* The fastest and the slowest worker, by that measurement. */
uint32_t speeds_fastest(const struct plan *plan);
uint32_t speeds_slowest(const struct plan *plan);

/* The number of workers that are nearer to the fastest than to the slowest. */
uint32_t speeds_count_fast(const struct plan *plan);

/* A CPU's speed in percent of the fastest's; 0: unknown. */
uint32_t speeds_percent(const struct plan *plan, uint32_t cpu);
