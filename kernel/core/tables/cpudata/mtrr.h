// SPDX-License-Identifier: MIT
/*
 * The memory type that a CPU's MTRRs give to an address (Intel SDM vol. 3A, 11.11; AMD APM vol. 2,
 * 7.7 and 7.9.1). It is what holds for okram's accesses to RAM: those are mapped by entry 0 of the
 * PAT, write-back, which changes no MTRR's type (SDM vol. 3A, table 11-7).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"
#include "lib/span.h"

enum memory_type {
    MEMORY_TYPE_UC = 0,
    MEMORY_TYPE_WC = 1,
    MEMORY_TYPE_WT = 4,
    MEMORY_TYPE_WP = 5,
    MEMORY_TYPE_WB = 6,
};

#define MTRR_FIXED_MAX    11 /* of 64 KiB: 1, of 16 KiB: 2, of 4 KiB: 8 */
#define MTRR_VARIABLE_MAX 32 /* no CPU has more */

/* The registers, as they are; what is not there is 0. */
struct mtrrs {
    uint32_t present; /* or 0: without MTRRs all memory counts as write-back */
    uint32_t physical_bits;
    uint64_t cap;      /* IA32_MTRRCAP */
    uint64_t def_type; /* IA32_MTRR_DEF_TYPE */
    uint64_t fixed[MTRR_FIXED_MAX];
    struct {
        uint64_t base, mask;
    } variable[MTRR_VARIABLE_MAX];
    /* AMD: from 4 GiB up to here all is write-back, where no variable MTRR says otherwise; or 0. */
    uint64_t write_back_end;
};
_Static_assert(sizeof(struct mtrrs) == 8 * (4 + MTRR_FIXED_MAX + 2 * MTRR_VARIABLE_MAX),
               "without holes: compared byte by byte");

/* Reads those that the CPU has, on that CPU. hypervisor: it runs in a guest. */
struct mtrrs mtrr_read(msr_fn *msr, const struct cpu_identity *id, bool hypervisor);

/* Whether they are there and turned on; off, all memory is uncacheable. */
bool mtrr_is_on(const struct mtrrs *m);

/*
 * The type at addr, and in ret_end the end of the stretch that has it for certain, greater than
 * addr. Where MTRRs overlap in a way that the architecture leaves open, MEMORY_TYPE_UC.
 */
enum memory_type mtrr_type(const struct mtrrs *m, uint64_t addr, uint64_t *ret_end);

/*
 * Calls visit for the parts of a span that are not write-back in `a`, and those whose type differs
 * between a and b; neighbours of the same types are one part. b may be a.
 */
void mtrr_walk(const struct mtrrs *a, const struct mtrrs *b, struct span span,
               void (*visit)(void *ctx, struct span part, enum memory_type in_a,
                             enum memory_type in_b),
               void *ctx);

/* "uncacheable", "write-combining" ... */
const char *memory_type_name(enum memory_type type);
