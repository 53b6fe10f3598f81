// SPDX-License-Identifier: MIT
/* How long it takes to fetch two lines at the same time. */
#pragma once

#include <stdint.h>

/* Fetches both at the same time once, from memory. Returns cycles of the time stamp counter. */
uint32_t pair_fetch(const void *line, const void *other);

/*
 * In cycles of the time stamp counter: both lines are flushed, then read without an order, 40
 * times; returned is what a tenth is faster than. Slower times have met a refresh, an interrupt or
 * what other CPUs read. Only reads. One CPU at a time, with both lines mapped as write-back.
 */
uint32_t pair_latency(const void *line, const void *other);
