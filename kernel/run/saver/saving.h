// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables (saved/saved.h): `save=`. Events are collected; the state of the run
 * and the list of its bad pages are written rarely (struct saved_pace), between tests, and once the
 * result is on the screen and on the serial port the verdict and then the whole report. Boot CPU
 * only; the last online CPU makes the calls (saver/saving_job.h). If firmware takes long, or hangs,
 * the others test without that CPU.
 *
 * Whatever firmware does, the run goes on: a failure gives one warning, and then nothing more is
 * written.
 */
#pragma once

#include <stdbool.h>

#include "boot/boot_info.h"
#include "report/saved_report.h"
#include "run/run.h"
#include "saved/saved_write.h"
#include "saver/saving_job.h"

/* A run has one. All zeros at the start. */
struct saver {
    bool is_on, has_started, has_result, is_kept;
    bool tests_all;     /* neither range= nor nodes= excludes memory */
    bool is_whole_pass; /* the result: all that was to be tested is good */
    bool is_at_work;    /* the CPU that writes */
    bool has_list;      /* the last job knew this run's to be in the store */
    enum option_after after;
    bool reboots; /* without a key */
    struct saved_pace pace;
    struct saved_events events;
    struct saving_report report;
    uint64_t testable_bytes;
};

/* Before the first event. With a BIOS, or save=off, this module does nothing. */
void saving_begin(struct saver *saver, const struct boot_info *boot, const struct options *options);

/* The run has started: all CPUs are idle, except that the last one may be in firmware. */
void saving_start(struct saver *saver, const struct cpu_poll *poll);

/* Between two parts of a test, all CPUs idle: writes the state and the list if that is due. */
void saving_when_due(struct saver *saver, const struct run *run);

/* Whether the report, and the list of bad pages, will be kept, as far as is known. */
bool saving_keeps(const struct saver *saver);

/* The CPU that has not returned from firmware; 0: none. It must not get work. */
uint32_t saving_busy_cpu(void);

/* Repeatedly while other CPUs work: ends a call of firmware that takes too long. */
void saving_poll(struct saver *saver);

/*
 * After the result: writes the verdict and the list of bad pages, with another advice if that
 * fails, then the whole report; with an event before and after. Returns when firmware is done, at
 * the latest after about 5 minutes: one call, SAVING_LIMIT_US, and one call more. Keys are answered
 * meanwhile, if there are two CPUs or more.
 */
void saving_finish(struct saver *saver, const struct run *run);

/*
 * When a person restarts the machine: the next boot then starts okram's loader, which shows the
 * report.
 */
void saving_set_boot_next(struct saver *saver, const struct cpu_poll *poll);

/*
 * Waits until no CPU is in firmware: for one job, SAVING_LIMIT_US and one call more at most. Polls
 * meanwhile, as all that wait here do.
 */
void saving_wait(struct saver *saver, const struct cpu_poll *poll);
