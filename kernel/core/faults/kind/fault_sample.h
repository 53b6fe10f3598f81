// SPDX-License-Identifier: MIT
/*
 * A sample of the bad pages: of as many as there are room for, chosen at random among all, one
 * fault each, the one that made the page bad. The log keeps the first 1000 faults in full, and in a
 * large fault these are all of a few pages where the sweeps began; this shows the rest of it.
 *
 * Every CPU adds, lock-free, once for a page that was not bad before: a sweep that finds nothing
 * costs nothing. The boot CPU reads, at any time. Choice: reservoir sampling (J. Vitter, "Random
 * Sampling with a Reservoir", ACM TOMS 11, 1985, algorithm R), with a hash for the random number.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_records.h"

#define FAULT_SAMPLE_MAX 1024

struct fault_sample_slot {
    atomic_uint state;
    uint64_t words[LOG_RECORD_WORDS]; /* with a check: it may be in bad memory itself */
};

/* About 72 KiB: place it statically. All zero: empty. The fields are its own. */
struct fault_sample {
    _Atomic uint64_t n_seen;
    struct fault_sample_slot slot[FAULT_SAMPLE_MAX];
};

/* A fault of a page that was not bad before. */
void fault_sample_add(struct fault_sample *sample, const struct fault *fault);

/* The fault of the page with this number. False: there is none. */
bool fault_sample_of_page(const struct fault_sample *sample, uint64_t page, struct fault *ret);

/* Copies the faults, in no order, to ret, which has room for FAULT_SAMPLE_MAX. How many. */
size_t fault_sample_list(const struct fault_sample *sample, struct fault *ret);
