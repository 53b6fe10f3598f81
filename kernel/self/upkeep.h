// SPDX-License-Identifier: MIT
/*
 * okram lives in the memory it doubts: again and again it looks after itself. Boot CPU only.
 */
#pragma once

/* A part of it, while all CPUs work. */
void upkeep_poll(void);

/*
 * All of it, while no other CPU works: after each test, before and after each move, and when a CPU
 * has been lost.
 */
void upkeep_settle(void);
