// SPDX-License-Identifier: MIT
/* Findings about the memory types that MTRRs give to RAM (cpudata/mtrr.h). */
#pragma once

#include <stdint.h>

#include "lib/span.h"
#include "lib/warn.h"

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
