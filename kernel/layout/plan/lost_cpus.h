// SPDX-License-Identifier: MIT
/*
 * CPUs that have no share any more, or for a while. When one is lost (cpus/cpu_pool.h), its share
 * goes to the others, and the current test is repeated, because it is unknown how far the lost CPU
 * had come. One that is busy with other work has no share meanwhile. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/share.h"

/* Whether a CPU is lost that still has a share. */
bool lost_cpus_any(void);

/* Shares out the same memory among the remaining workers; if there are none, to the boot CPU. */
void lost_cpus_drop(struct shares *shares);

/*
 * Before the first round of a test: shares out the same memory without the CPU that is busy, and
 * with the one that was before; 0: none is busy. False if it is the only worker: then nothing has
 * changed.
 */
bool lost_cpus_set_busy(uint32_t cpu, struct shares *shares);
