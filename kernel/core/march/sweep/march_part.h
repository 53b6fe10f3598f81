// SPDX-License-Identifier: MIT
/*
 * Some of a march's elements, that stand one after the other: those of a leg (march_leg), for
 * example.
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
