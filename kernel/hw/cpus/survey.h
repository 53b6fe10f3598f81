// SPDX-License-Identifier: MIT
/*
 * What each CPU is and has, read on that CPU: CPUs differ in hybrid machines, and where firmware
 * has not set up all of them. Boot CPU only.
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
 * Reads all running CPUs, once the pool works, before anything depends on what they have. After it
 * machine.cpu has the instruction sets that all of them have.
 */
void survey_take(void);

const struct survey_cpu *survey_of(uint32_t cpu);

/* The boot CPU's MTRRs. */
const struct mtrrs *survey_mtrrs(void);

/* The number of CPUs whose MTRRs differ from the boot CPU's. */
uint32_t survey_count_other_mtrrs(void);

/* The MTRRs of the n-th of these CPUs, from 0; NULL: no more are known. */
const struct mtrrs *survey_other_mtrrs(size_t n, uint32_t *ret_cpu);
