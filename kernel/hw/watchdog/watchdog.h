// SPDX-License-Identifier: MIT
/*
 * Watchdogs that firmware has left running, for an operating system that feeds them: they would
 * reset the machine in the middle of a run. Boot CPU only.
 */
#pragma once

/*
 * Stops those of the kinds in watchdog/kinds.h. A warning says which was running and how much time
 * was left. After tables_read, before arena_close.
 */
void watchdogs_stop(void);
