// SPDX-License-Identifier: MIT
/*
 * Findings about a machine's memory: warnings of one sentence each, with the numbers behind it. A
 * machine that is as it should be has none.
 *
 * Only what is sure enough is reported. Firmware keeps some 100 MiB of every machine for itself,
 * and graphics in the CPU may take a few GiB: that is not a finding (see findings_slots.c). Modules
 * are named as the board names their slots.
 */
#pragma once

#include <stdint.h>

#include "findings/findings_input.h"
#include "lib/span.h"
#include "lib/warn.h"

/*
 * What is known without measuring: memory that is installed but cannot be used, and the slots it
 * may be in; modules that run slower than rated; ECC that the modules have but that is off; several
 * sockets but one node; unequal nodes.
 */
void findings_static(const struct findings_input *in, const struct warnings *warnings);

/*
 * What follows from the measured numbers: memory that is no faster for its own node's CPUs than
 * memory of another; a node whose own memory is well slower than others'; memory far below what
 * the HMAT promises, and arrays that a memory-side cache holds, if only in part.
 */
void findings_measured(const struct findings_input *in, const struct warnings *warnings);

/* Findings about the memory types that MTRRs give to RAM (cpudata/mtrr.h). */

/* RAM that is not write-back, for the boot CPU. */
struct findings_type {
    uint64_t bytes;
    struct span first;       /* the lowest part of it */
    const char *type;        /* of that part: "uncacheable" */
    double mb_s, usual_mb_s; /* swept there and in write-back memory; 0: not measured */
};

/* One sentence; none if bytes is 0. */
void findings_not_write_back(const struct findings_type *t, const struct warnings *warnings);

/* RAM of which CPUs have different types. */
struct findings_unequal_type {
    uint64_t bytes;
    struct span first;
    uint32_t n_cpus, cpu;         /* CPUs that differ from the boot CPU; one of them */
    const char *boot_type, *type; /* the boot CPU's and that CPU's of the first part */
    double boot_mb_s, mb_s;       /* that the two sweep there; 0: not measured */
};

void findings_unequal_types(const struct findings_unequal_type *t, const struct warnings *warnings);
