// SPDX-License-Identifier: MIT
/* Starts all CPUs that firmware lists. */
#pragma once

#include "cpus/cpu_pool.h"

/*
 * Fills machine.cpus and machine.online, and has the CPUs wait for work (explain: cpus/cpu_pool.h).
 * A CPU that does not start in time is disabled, with a warning. After tables_read and
 * clock_calibrate.
 */
void start_cpus(cpu_pool_explain explain);
