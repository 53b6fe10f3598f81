// SPDX-License-Identifier: MIT
/*
 * Lines that are read from memory, counted at each memory controller. Boot CPU only.
 *
 * AMD's count since Zen 4 (CPUID 8000_0022h; PPR of family 19h model 61h, 2.1.13.4; event 0Ah, CAS
 * commands, of reads). Those of Xeon Scalable up to Cooper Lake count at each channel (Uncore
 * Performance Monitoring Reference Manual; facts in Linux's uncore_snbep; event 04h, CAS commands,
 * of reads). Both have to be programmed, and their registers have the old values after that. Those
 * of Intel's other processors always count (facts in Linux's uncore_snb), and are only read.
 *
 * From Zen 1 to Zen 3 the data fabric counts what DRAM controllers transfer (CPUID 8000_0001h
 * ECX[24]; events dram_channel_data_controller_0 to 7 in Linux's perf). Which of the eight is which
 * channel's is not public, and some may be no channel's: on a Ryzen 5950X with two channels four of
 * them count. What they show is which lines are counted alike.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decoder/decoder.h"

struct traffic {
    unsigned n; /* channels, as the controller's; or counters of the data fabric */
    struct register_source source;
    struct traffic_counter {
        uint32_t msr;          /* of AMD's: the control; the count is in the next. 0: none */
        struct register_id id; /* of Intel's: the count; offset 0: none */
        uint8_t control_at;    /* in its function; 0: it always counts */
        uint64_t old_control, old_count;
    } counter[DRAM_CHANNELS_MAX];
};

/*
 * False: there are no such counters, and *ret_unknown is NULL; or they cannot be used, and it is
 * the reason. What was programmed by then has its old values.
 */
bool traffic_begin(struct traffic *traffic, const struct decoded_controller *controller,
                   const struct register_source *source, const char **ret_unknown);

/* The data fabric's counters, of which there are as many at a time. */
#define FABRIC_EVENTS   8u
#define FABRIC_COUNTERS 4u

bool traffic_has_fabric(void);

/* For the events from `first` on. NULL: they count; else the reason, and all is as it was. */
const char *traffic_begin_fabric(struct traffic *traffic, unsigned first);

/* The counts of all channels; UINT64_MAX: one that does not answer. */
void traffic_count(const struct traffic *traffic, uint64_t ret[DRAM_CHANNELS_MAX]);

void traffic_end(const struct traffic *traffic);

enum traffic_verdict {
    TRAFFIC_AGREES,
    TRAFFIC_CONTRADICTS, /* some were counted at another controller */
    TRAFFIC_STILL,       /* hardly anything was counted anywhere */
    /* Others read too much, each line is counted at several controllers, or a count ran backwards
       or could not be read. */
    TRAFFIC_UNCLEAR,
};

/* Before lines were read, after that, and after as long a time again without. */
struct traffic_counts {
    uint64_t before[DRAM_CHANNELS_MAX], after[DRAM_CHANNELS_MAX], idle[DRAM_CHANNELS_MAX];
};

/*
 * Of n lines that a map has in one channel: whether they were counted there and nowhere else. What
 * devices and other CPUs read meanwhile may change by less than a tenth of n.
 */
enum traffic_verdict traffic_judge(const struct traffic *traffic,
                                   const struct traffic_counts *counts, unsigned channel,
                                   uint64_t n);

/*
 * Of a line that was read n times: which counters have counted each of the reads, as bits. False:
 * some have counted a part, others read too much, or a count ran backwards or could not be read.
 */
bool traffic_moved(const struct traffic *traffic, const struct traffic_counts *counts, uint64_t n,
                   unsigned *ret_moved);

/* A line that a map has in a channel, and the counters that have counted its reads, as bits. */
struct traffic_line {
    uint8_t channel;
    uint8_t moved;
};

/*
 * Whether lines of each channel, two or more, are counted together: at counters that count no other
 * channel's lines; those that count all lines tell nothing. They contradict the map if they tell as
 * many groups of lines apart as there are channels, but others.
 */
enum traffic_verdict traffic_judge_lines(const struct traffic_line *line, unsigned n,
                                         unsigned n_channels);
