// SPDX-License-Identifier: MIT
/*
 * The writing of UEFI variables by one CPU, the last online one, while the others do other work and
 * the boot CPU watches it: a call that does not return within its limit (machine/uefi_runtime.h) is
 * aborted, and a CPU that does not return even then is lost (cpus/cpu_pool.h). A job begins no call
 * later than SAVING_LIMIT_US after its start. If there is only one CPU, it writes at once, and a
 * timer watches it. One job at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/uefi_runtime.h"
#include "saved/saved.h"
#include "saved/saved_lines.h"

/*
 * The bad pages of the run as a list for the guard (guardlist/guard_list.h), which the loader's
 * menu takes from this variable.
 */
#define GUARD_NEW_NAME "OkramGuardNew"

/* The longest variable that firmware is known to take: OVMF. */
#define GUARD_NEW_MAX 0x8400u

/* The list of all pages in the fault log; signed, if there is a key (memory/sign_key.h). */
struct guard_new {
    const uint8_t *bytes; /* okram's own memory */
    size_t n;             /* 0: there are no bad pages, or they do not fit */
    uint64_t n_pages;
};

/* What is written. */
struct saving_report {
    struct saved_state state;
    const struct saved_lines *lines;
    int64_t started;       /* the date as seconds since 1970; 0: unknown */
    bool set_boot_next;    /* at the end: the next boot starts what okram was booted from */
    struct guard_new list; /* must not change until the job is over */
    bool delete_old_list;  /* that of an earlier run is deleted */
};

/*
 * Writes that the run has started, and deletes the other variables of an earlier run's report. If
 * the store has room for one variable alone, that is left for the verdict.
 */
void saving_job_start(const struct saving_report *report);

/* Writes how far the run is, and the guard's list, if that leaves room for the whole report. */
void saving_job_state(const struct saving_report *report);

/*
 * Once the result is known: replaces OkramReport00 by a report in it alone, which has the result
 * and as many of the bad pages as fit. Then writes the guard's list if it fits, or deletes that of
 * an earlier run.
 */
void saving_job_verdict(const struct saving_report *report);

/*
 * After saving_job_verdict: writes the whole report in as many variables as fit and firmware writes
 * in time, then pstore's dump, and has the next boot start what okram was booted from, if wanted.
 * The report's lines must not change until that is over.
 */
void saving_job_finish(const struct saving_report *report);

/* Has the next boot start what okram was booted from. */
void saving_job_set_boot_next(const struct saving_report *report);

/* What was being written. */
enum saving_step {
    SAVING_REPORT,
    SAVING_REST,      /* of the report: its verdict is kept */
    SAVING_DUMP,      /* pstore's */
    SAVING_BOOT_NEXT, /* what the next boot starts */
};

/* At most one of service, is_lost, is_late, external and is_full is set: it ended the writing. */
struct saving_failure {
    enum saving_step step;
    const char *service; /* of UEFI, that failed; NULL: none did */
    uint64_t status;
    bool is_lost;              /* the CPU that writes, outside any service */
    bool is_late;              /* the calls together took SAVING_LIMIT_US */
    struct uefi_name external; /* a variable with okram's name that is not okram's; or "" */
    bool has_old;              /* a report of an earlier run is still there */
    bool old_is_deleted;       /* that one is not, and nothing is there instead */
    bool is_full;              /* the store has too little room: nothing was written */
    bool is_cut;               /* so little room that not all of the report is kept */
    struct uefi_name cut_at;   /* such a variable, for which the report is cut before it; or "" */
    bool is_long;              /* the room is all that a report may have, and it is longer */
    uint64_t remaining;        /* free bytes of the store, if one of these two is set */
    uint64_t slow_s;           /* a call takes so long that not all of the report is kept; 0: no */

    /* Bytes of the guard's list that is not kept; 0: it is, or there is none. */
    size_t list_bytes;
    uint64_t list_status, list_remaining; /* of SetVariable; UEFI_SUCCESS: no room */
};

/* A job begins no further call when its calls have taken this long. */
#define SAVING_LIMIT_US UINT64_C(180000000)

struct saving_outcome {
    struct saving_failure failure;
    bool has_list; /* the guard's list of this run is in the store */
    bool is_kept;  /* the verdict is */
};

/* Watches the CPU. True: the job is over; the outcome says how it went. */
bool saving_job_is_over(struct saving_outcome *ret_outcome);
