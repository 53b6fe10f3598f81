// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables (saved/saved.h): `save=`. Events are collected; the state of the run
 * is written between tests, seldom (struct saved_pace), and the whole report when the result is on
 * the screen and on the serial port. Boot CPU only; the last online CPU makes the calls
 * (saver/saving_job.h). Where firmware takes long, or hangs, the others test without it.
 *
 * Whatever firmware does, the run goes on: what fails is said in one warning, and then nothing more
 * is written.
 */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* Before the first event. By BIOS, and with save=off, all of this does nothing. */
void saving_begin(const struct boot_info *boot, const struct options *options);

/* The run has started: all CPUs wait for work, the last one perhaps in firmware. */
void saving_start(void);

/* Between two parts of a test, all CPUs without work: writes the state when that is due. */
void saving_when_due(void);

/* The CPU that firmware has not come back from; 0: none. It must get no work. */
uint32_t saving_busy_cpu(void);

/* Repeatedly while other CPUs work: ends a call of firmware that takes too long. */
void saving_poll(void);

/*
 * After the result: writes the report. Tells the screen before and after. Returns when firmware is
 * done, at the latest about 4 minutes later: SAVING_LIMIT_US, and one call more. Keys are answered
 * meanwhile, if there are two CPUs or more.
 */
void saving_finish(void);

/* A person restarts the machine: the next boot starts okram's loader, which shows the report. */
void saving_set_boot_next(void);

/* Waits until no CPU is in firmware: for one job, SAVING_LIMIT_US and one call more at most. */
void saving_wait(void);
