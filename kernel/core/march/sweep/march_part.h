// SPDX-License-Identifier: MIT
/*
 * Some of a march's elements, one after the other: those of a leg (march_leg), or a half.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sweep/march.h"

/* Elements first to end - 1. */
struct march_part {
    uint32_t first, end;
};

struct march_part march_whole(const struct march *march);

/* The elements from leg `first` to leg `last`. */
struct march_part march_part_of_legs(const struct march *march, uint32_t first, uint32_t last);

/* Its reads and writes: each is one sweep. */
uint32_t march_part_sweeps(const struct march *march, struct march_part part);

bool march_element_writes(const struct march_element *element);

/*
 * Whether memory holds the complement of the data (w1) when the elements before `end` have been
 * done, which write.
 */
bool march_holds_complement(const struct march *march, uint32_t end);

/* An element of one operation, in either direction; a read comes from DRAM whatever was before. */
struct march_element march_fill(bool complement);
struct march_element march_verify(bool complement);

/*
 * A march that waits twice, as tests of data retention do, cut in two: `any(w0);del(100);any(r0)`
 * and `any(w1);del(100);any(r1)`. Memory that cannot be tested at the same time can then take
 * turns waiting; each part waits in both pauses: three waits are enough for all, where the march on
 * one part after the other has four. Elements by their numbers.
 */
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
