// SPDX-License-Identifier: MIT
/*
 * Row hammer at changing places of the tested memory: in rows that timing has shown
 * (rows/row_hammer.h), or in rows that are guessed (sweep/hammer.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "faults/reporter.h"
#include "run/run.h"
#include "sweep/data.h"

struct hammered {
    uint64_t bytes; /* of the places, each counted once */
    bool found;     /* rows were found, on all nodes that were hammered */
};

/*
 * Hammers for as long as was selected: one CPU a node, so that CPUs do not take each other's time
 * in the banks; with all patterns in turn, each at another place of the node's tested memory. An
 * eighth of the time, at most, is for finding the rows, the first time. Adds the places' bytes to
 * ret->bytes.
 */
void hammering_run(struct run *run, const struct data *data, struct test_place place,
                   struct hammered *ret);

/*
 * row_finding.c: which bank and row the addresses of a node's memory are in, found by timing
 * (rows/row_search.h) before rows are hammered for the first time; of each part by itself, where
 * the memory controller interleaves parts differently. Lets a CPU of the node look for `us` at most
 * in all, unless that was done before, and hands what came of it to faults/rows_emit.h. Only reads
 * memory. Boot CPU; the other CPUs have nothing to do meanwhile. Under a hypervisor nothing is
 * timed: a guest's addresses are not those of the DRAM, and timing may show an emulator's cache of
 * address translations instead.
 */
void row_finding_run(const struct run *run, uint32_t node, uint32_t cpu, uint64_t us,
                     uint64_t seed);

/* What was found for the part of the node's memory that has all of the span; NULL: nothing. */
const struct row_result *row_finding_of(uint32_t node, struct span s);

/* Whether the rows of what was found are known; and those of all of a node's memory. */
static inline bool row_finding_has_rows(const struct row_result *found)
{
    return found && (found->map.row || found->map.registers);
}
bool row_finding_has_all(uint32_t node);

/*
 * Of a run with bad pages: whether timing confirms the memory controller's registers, where they
 * are known (rows/row_agreement.h), and counting of reads, where there are counters
 * (controller/traffic.h); hands that to faults/channels.h. Takes some seconds for each node whose
 * rows have not been searched for.
 */
void row_finding_confirm(const struct run *run, uint64_t seed);
