// SPDX-License-Identifier: MIT
/*
 * Lines that are read from memory, counted at each memory controller: by AMD's since Zen 4, with
 * the counters of the unified memory controllers (CPUID 8000_0022h; PPR of family 19h model 61h,
 * 2.1.13.4; event 0Ah, CAS commands, of reads). Their registers have the old values after that.
 * Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decoder/decoder.h"

struct traffic {
    unsigned n; /* channels, as the controller's */
    struct traffic_counter {
        uint32_t msr; /* of the control; the count is in the next */
        uint64_t control, count;
    } at[DRAM_CHANNELS_MAX];
};

/* False: there are no such counters, somebody else uses them, or not every channel has one. */
bool traffic_begin(struct traffic *traffic, const struct decoded_controller *controller);

/* The counts of all channels. */
void traffic_count(const struct traffic *traffic, uint64_t ret[DRAM_CHANNELS_MAX]);

void traffic_end(const struct traffic *traffic);

enum traffic_verdict { TRAFFIC_UNCLEAR, TRAFFIC_AGREES, TRAFFIC_CONTRADICTS };

/*
 * Of n lines that a map has in one channel: whether they were counted there and nowhere else. What
 * devices and other CPUs read meanwhile must be less than a tenth.
 */
enum traffic_verdict traffic_judge(const uint64_t *before, const uint64_t *after,
                                   unsigned n_channels, unsigned channel, uint64_t n);
