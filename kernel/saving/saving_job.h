// SPDX-License-Identifier: MIT
/*
 * The writing of UEFI variables by one CPU, the last online one, while the others do other work and
 * the boot CPU watches it: a call that does not return is broken off after UEFI_LIMIT_US
 * (machine/uefi_runtime.h), and a CPU that even then does not come back is lost (cpus/cpu_pool.h).
 * Where there is one CPU, it writes at once, and a timer watches it. One job at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/uefi_runtime.h"
#include "save/saved.h"
#include "save/saved_lines.h"
#include "saving/guard_new.h"

/* Why something was not written. */
struct saving_failure {
    const char *service; /* UEFI's, that failed; NULL: none did */
    uint64_t status;
    struct uefi_name foreign; /* a variable of okram's name that is not okram's; or "" */
    bool is_full;             /* the store has too little left: nothing was written */
    bool is_cut;              /* so little that not all of the report is kept */
    uint64_t remaining;       /* bytes of the store, where one of these two is set */

    /* Bytes of the guard's list that is not kept; 0: it is, or there is none. */
    size_t list_bytes;
    uint64_t list_status, list_remaining; /* of SetVariable; UEFI_SUCCESS: no room */
};

/* What is written. */
struct saving_report {
    struct saved_state state;
    const struct saved_lines *lines;
    int64_t started; /* the date as seconds since 1970; 0: unknown */
    bool boot_again; /* at the end: the next boot starts what okram was booted from */
    struct guard_new list;
    bool list_is_over; /* the one of an earlier run is deleted */
};

/* Writes that the run has started, and deletes the other variables of an earlier run's report. */
void saving_job_start(const struct saving_report *report);

/* Writes how far the run is, where that leaves room for the whole report. */
void saving_job_state(const struct saving_report *report);

/*
 * Writes the guard's list if it fits, the whole report in as many variables as fit, then pstore's
 * dump, and has the next boot start what okram was booted from, if wanted. No event comes before it
 * is over.
 */
void saving_job_finish(const struct saving_report *report);

/* Watches the CPU. Whether the job is over, and what has failed then. */
bool saving_job_is_over(struct saving_failure *ret_failure);
