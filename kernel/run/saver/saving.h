// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables (saved/saved.h): `save=`. Events are collected; the state of the run
 * is written rarely (struct saved_pace), between tests, and the whole report once the result is on
 * the screen and on the serial port. Boot CPU only; the last online CPU makes the calls
 * (saver/saving_job.h). If firmware takes long, or hangs, the others test without that CPU.
 *
 * Whatever firmware does, the run goes on: a failure gives one warning, and then nothing more is
 * written.
 */
#pragma once

#include <stdbool.h>

#include "boot/boot_info.h"
#include "options/options.h"

/* Before the first event. With a BIOS, or save=off, this module does nothing. */
void saving_begin(const struct boot_info *boot, const struct options *options);

/* The run has started: all CPUs are idle, except that the last one may be in firmware. */
void saving_start(void);

/* Between two parts of a test, all CPUs idle: writes the state if that is due. */
void saving_when_due(void);

/* Whether the report, and the list of bad pages, will be kept, as far as is known. */
bool saving_keeps(void);

/* The CPU that has not returned from firmware; 0: none. It must not get work. */
uint32_t saving_busy_cpu(void);

/* Repeatedly while other CPUs work: ends a call of firmware that takes too long. */
void saving_poll(void);

/*
 * After the result: writes the list of bad pages, with another advice if that fails, then the
 * report; with an event before and after. Returns when firmware is done, at the latest after about
 * 5 minutes: two calls, SAVING_LIMIT_US, and one call more. Keys are answered meanwhile, if there
 * are two CPUs or more.
 */
void saving_finish(void);

/*
 * When a person restarts the machine: the next boot then starts okram's loader, which shows the
 * report.
 */
void saving_set_boot_next(void);

/* Waits until no CPU is in firmware: for one job, SAVING_LIMIT_US and one call more at most. */
void saving_wait(void);
