// SPDX-License-Identifier: MIT
/* What caused an exception on another CPU: that CPU, memory, or okram itself. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpus/cpu_pool.h"

/*
 * A cpu_pool_explain. An exception in intact code of okram's may be okram's own fault; the same one
 * on two CPUs certainly is: an internal error, and the run ends with a panic.
 */
const char *diagnose_exception(uint32_t cpu, const struct cpu_failure *failure);

/* Whether there was an exception that may be okram's own fault: no result is to be trusted. */
bool blame_has_internal_error(void);
