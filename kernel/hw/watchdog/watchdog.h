// SPDX-License-Identifier: MIT
/*
 * Watchdogs that firmware has left running, for an operating system that feeds them: they would
 * reset the machine in the middle of a run. Boot CPU only.
 */
#pragma once

/*
 * Stops the chipset's (watchdog/tco.h, watchdog/fch.h), that of the ACPI table WDAT
 * (watchdog/wdat_run.h) and the management controller's (watchdog/ipmi.h). A warning says which was
 * running and how much time was left. After tables_read, before arena_close.
 */
void watchdogs_stop(void);
