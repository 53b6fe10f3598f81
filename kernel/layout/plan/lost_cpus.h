// SPDX-License-Identifier: MIT
/*
 * What happens when a CPU is lost (cpus/cpu_pool.h): its share goes to the others, and the current
 * test is repeated, since it is unknown how far the lost CPU had come. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

/* Whether a CPU is lost that still has a share. */
bool lost_cpus_any(void);

/* Shares out what is tested now among the CPUs that are left; none of the workers: to the boot CPU.
 */
void lost_cpus_drop(void);
