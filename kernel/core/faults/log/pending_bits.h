// SPDX-License-Identifier: MIT
/*
 * Bits that are to be set in the log, but about which copies and parity disagree: either another
 * CPU is just setting them, or something is damaged. They are kept here until
 * the boot CPU has decided, so that no damage can hide a fault.
 *
 * Lock-free, for every CPU. A bit that is here already takes no second place.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PENDING_BITS_MAX 4096

/* All zeros: none. */
struct pending_bits {
    _Atomic uint64_t entry[PENDING_BITS_MAX]; /* bit and check; 0: free */
    _Atomic uint32_t any;                     /* not 0: there may be some */
    _Atomic uint32_t lost;                    /* for which there was no room */
};

/* bit below 2^40. */
void pending_bits_add(struct pending_bits *pending, uint64_t bit);

/*
 * Takes one out; *at is where to look on, at first 0. False: no more. An entry that is no longer
 * what was written is dropped and counts as lost. Boot CPU only.
 */
bool pending_bits_take(struct pending_bits *pending, uint32_t *at, uint64_t *ret_bit);
