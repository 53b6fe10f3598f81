// SPDX-License-Identifier: MIT
/* The start of all CPUs that firmware lists. */
#pragma once

/*
 * Fills machine.cpus and machine.online, and has the CPUs wait for work (cpus/cpu_pool.h, idle as
 * there). One that does not come in time is left out, with a warning. After tables_read and
 * clock_calibrate.
 */
void start_cpus(void (*idle)(void));
