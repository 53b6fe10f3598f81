// SPDX-License-Identifier: MIT
/*
 * The report on the stick that okram was started from, in the course of the run
 * (run_file/stick_file.h): `save=`. Its files are written at the first fault, every half hour, each
 * time between two parts of a test, and when the result is known. By BIOS and by UEFI, where USB
 * controllers are driven. Boot CPU only.
 *
 * By BIOS the options of the next start are kept there, too, for cycles=.
 *
 * A machine without such a stick is as before: nothing is said. What fails gives one warning, and
 * then nothing more is written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "options/options.h"
#include "report/jsonl.h"
#include "run/run.h"
#include "saved/saved.h"
#include "run_file/stick_file.h"
#include "usb/disk.h"

/* A run has one. All zeros at the start. */
struct stick {
    bool is_on, has_started, has_result, is_cut;
    uint64_t came;              /* the time until which a disk may come */
    uint64_t next;              /* when it is written next, in seconds; */
    uint64_t next_fault, again; /* until the first faults are there: when these are, and after */
    bool wrote_faults;
    uint32_t kernel; /* the checksum of its image */
    uint64_t testable_bytes;
    uint32_t n_faults;
    struct saved_state state;
    struct jsonl json;
    char *records;
    size_t n;    /* bytes of them; STICK_RECORDS_BYTES: the last one did not fit */
    size_t room; /* for the one being written */

    struct usb_disk disk;
    struct stick_file file, next_start; /* n 0: none yet */
    bool has_next_start;                /* the next start is kept */
    uint64_t run;
    struct stick_written written;
};

/* Before the first event, with room in the arena. Without save= it does nothing. */
void stick_begin(struct stick *stick, const struct options *options);

/* The run has started: USB controllers are driven. */
void stick_start(struct stick *stick);

/*
 * Keeps the options of the next start (STICK_NEXT), and their name; at most 10 seconds and one
 * command more. False: that is not possible.
 */
bool stick_keep_next(struct stick *stick, const struct cpu_poll *poll, const char *options,
                     const char *name);

/* Between two parts of a test: writes if that is due. */
void stick_when_due(struct stick *stick, const struct cpu_poll *poll);

/*
 * After the result; removes the next start, unless this run has kept one. At most a minute and one
 * command more. Controllers that were left to firmware are taken if the stick is not found.
 */
void stick_finish(struct stick *stick, const struct cpu_poll *poll);

/* The same in a panic, after it was shown: the report ends with it. */
void stick_panic(struct stick *stick, enum reason reason, const char *text);
