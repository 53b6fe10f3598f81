// SPDX-License-Identifier: MIT
/*
 * What happens when a CPU is lost (cpus/cpu_pool.h): its share goes to the others, and the current
 * test is repeated, because it is unknown how far the lost CPU had come. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "plan/share.h"

/* Whether a CPU is lost that still has a share. */
bool lost_cpus_any(void);

/* Shares out the same memory among the remaining workers; if there are none, to the boot CPU. */
void lost_cpus_drop(struct shares *shares);
