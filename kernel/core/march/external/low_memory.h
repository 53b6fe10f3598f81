// SPDX-License-Identifier: MIT
/*
 * What changes in memory below 1 MiB while it is tested: firmware may write there. The first change
 * of each page is kept until it is drained, and tested again (external/low_retest.h). Lock-free,
 * for every CPU.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "external/external.h"
#include "lib/span.h"

#define LOW_MEMORY_END (UINT64_C(1) << 20)

struct low_change {
    uint64_t addr, expected, found; /* of one word */
    struct external_place place;
};

/* All zero: nothing changed. */
struct low_memory {
    struct {
        struct low_change change;
        atomic_uint state;
    } page[LOW_MEMORY_END >> PAGE_SHIFT];
};

void low_memory_add(struct low_memory *low, const struct low_change *change);

/* The next by address. False: no more. Boot CPU, while no other CPU works. */
bool low_memory_drain(struct low_memory *low, struct low_change *ret_change);
