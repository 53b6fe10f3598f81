// SPDX-License-Identifier: MIT
/*
 * Watchdogs that firmware has left running, for an operating system that feeds them: they would
 * reset the machine in the middle of a run. And the one that a run may have for itself. Boot CPU
 * only.
 */
#pragma once

#include <stdint.h>

/*
 * Stops those of the kinds in watchdog/kinds.h. A warning says which was running and how much time
 * was left. After tables_read, before arena_close.
 */
void watchdogs_stop(void);

/*
 * The chipset's resets the machine when the boot CPU has not fed it for so many seconds; a notice
 * says so if there is none. 0: none is wanted. After watchdogs_stop.
 */
void watchdog_start(uint32_t seconds);

/* Both do nothing unless one runs. */
void watchdog_feed(void);
void watchdog_end(void);
