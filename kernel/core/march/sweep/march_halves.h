// SPDX-License-Identifier: MIT
/*
 * A march that waits twice, as tests of data retention do, cut in two: `any(w0);del(100);any(r0)`
 * and `any(w1);del(100);any(r1)`. Memory that cannot be tested at the same time can then take
 * turns waiting; each part waits in both pauses: three waits are enough for all, where the march on
 * one part after the other has four.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sweep/march.h"

/* Elements by their numbers. */
struct march_halves {
    uint32_t pause[2]; /* one in each half */
    uint32_t second;   /* with it the second half begins, which writes first */
    uint32_t pause_ms; /* the longer one */
};

/* False: the march has not two pauses, or no element between them that writes first. */
bool march_halve(const struct march *march, struct march_halves *ret);

/* Reads and writes of half 0 or 1: each is one sweep. */
uint32_t march_half_sweeps(const struct march *march, const struct march_halves *halves,
                           uint32_t half);
