// SPDX-License-Identifier: MIT
/* Finds and repairs damage to okram's own memory, which may be faulty as well. Boot CPU only. */
#pragma once

#include "log/fault_log.h"

/* A part of it, while all CPUs work. */
void upkeep_poll(struct fault_log *log);

/*
 * All of it, while no other CPU works: after each test, before and after each move, and when a CPU
 * has been lost.
 */
void upkeep_full(struct fault_log *log);
