// SPDX-License-Identifier: MIT
/*
 * What the boot CPU does from time to time while all CPUs work: keys, the power button, the time
 * limit, the upkeep of okram's own memory, new faults and machine checks, the cover and the
 * progress. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "options/options.h"
#include "run/run.h"

struct saver;
struct stick;

/* The next key that was pressed; -1: none. */
typedef int (*poll_key_source)(void);

/* Called when a person asks for the report so far, before it is sent. */
typedef void (*poll_report_hook)(void);

/* A run has one. All zeros at the start. */
struct poll {
    struct run *run;
    poll_key_source key; /* NULL: it has not begun */
    poll_report_hook ask;
    uint64_t next;
    bool has_beeped;
    bool is_over, restart_asked;
    bool stay_asked; /* of cycles=, no further start: as the tests ran, or after the result */
};

/*
 * Sets up the PS/2 keyboard and, by usb=, USB controllers; these get memory that is not tested. A
 * notice says so where no key will work, and how the run is ended then. Before plan_make.
 */
void poll_find_keys(const struct boot_info *boot, const struct options *options);

/* Makes this the run's poll, which does what is due, and those what keep its report. Until
 * poll_begin it does nothing. */
void poll_prepare(struct poll *poll, struct run *run, struct saver *saver, struct stick *stick);
void poll_begin(struct poll *poll, poll_key_source key, poll_report_hook ask);

/* Polls for us microseconds, or until a person stops the run. */
void poll_for(struct poll *poll, uint64_t us);

/*
 * The result was sent: from now on a poll only answers the keys, and remembers that one asked
 * for a restart.
 */
void poll_take_restart(struct poll *poll);

/* After the result: answers the keys for us microseconds. False: a person wants to stay here. */
bool poll_leaves(struct poll *poll, uint64_t us);

/* Answers the keys until a person asks, or has asked, for a restart. */
void poll_until_restart(struct poll *poll);
