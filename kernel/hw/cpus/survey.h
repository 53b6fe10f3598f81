// SPDX-License-Identifier: MIT
/*
 * What each CPU is and has, read on that CPU: in hybrid machines, and where firmware has forgotten
 * some, they differ. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"
#include "cpudata/mtrr.h"

struct survey_cpu {
    struct cpu_identity id;
    uint32_t threads;   /* that run on its core, itself included */
    uint64_t microcode; /* its version; 0: unknown */
};

/* Takes the memory that is needed, once the CPUs are known. */
void survey_prepare(void);

/*
 * Reads all CPUs that run, once the pool works, before anything depends on what they have. The
 * instruction sets of machine.cpu are then those that all have. Warns where CPUs of one kind have
 * different microcode.
 */
void survey_take(void);

const struct survey_cpu *survey_of(uint32_t cpu);

/* The boot CPU's MTRRs. */
const struct mtrrs *survey_mtrrs(void);

/* The number of CPUs whose MTRRs are not the same. */
uint32_t survey_count_other_mtrrs(void);

/* Some of these CPUs, n from 0, and theirs; NULL: there are no more. */
const struct mtrrs *survey_other_mtrrs(size_t n, uint32_t *ret_cpu);
