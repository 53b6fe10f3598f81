// SPDX-License-Identifier: MIT
/*
 * Findings about a machine's memory: warnings of one sentence each, with the numbers behind it. A
 * machine that is as it should be has none.
 *
 * Only what is sure enough is reported. Firmware keeps some 100 MiB of every machine for itself,
 * and graphics in the CPU may take a few GiB: that is not a finding (findings/unseen.h). Modules
 * are named as the board names their slots. findings_static.c has what is known without measuring,
 * findings_measured.c the rest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/hmat.h"
#include "findings/unseen.h"
#include "firmware/memory_ecc.h"
#include "firmware/smbios_memory.h"
#include "lib/span.h"
#include "lib/warn.h"

/* Of a row of n measurements; n 0: there are none. A number that is known has a stddev of 0. */
struct spread {
    uint32_t n;
    float mean, stddev;
};

/* What they are derived from: firmware's tables and the figures that were measured. */
struct findings_node {
    uint32_t domain; /* the number that firmware gave the node */
    uint64_t ram_bytes;
    uint32_t cpus; /* that run */

    uint64_t array_bytes; /* the largest array that was read of the node's memory; 0: none was */
};

struct findings_input {
    uint64_t usable_bytes; /* RAM that firmware's memory map lists */
    struct unseen unseen;
    const struct smbios_memory *slots; /* NULL: SMBIOS lists none */
    struct memory_ecc ecc;
    uint32_t sockets; /* cpudata/cpu_kind.h; 0: unknown */
    uint32_t nodes;   /* elements of node */
    bool has_srat;
    const struct findings_node *node; /* without a domain twice */

    /*
     * What all CPUs of element `from` of node read together of the memory of element `to`, in MB
     * (10^6 bytes) a second; its n is 0: not measured. For findings_measured.
     */
    struct spread (*read_mb_s)(uint32_t from, uint32_t to);
    const struct hmat *hmat; /* NULL: none */
};

/*
 * What is known without measuring: memory that is installed but cannot be used, and the slots it
 * may be in; modules that run slower than rated; ECC that the modules have but that is off; several
 * sockets but one node; unequal nodes.
 */
void findings_static(const struct findings_input *in, const struct warnings *warnings);

/*
 * What follows from the measured numbers: memory that is no faster for its own node's CPUs than
 * memory of another; a node whose own memory is well slower than others'; arrays that a
 * memory-side cache holds, if only in part. Speeds are
 * compared by spread_is_below, all pairs of nodes together; with one run nothing is said of them.
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
