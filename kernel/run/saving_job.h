// SPDX-License-Identifier: MIT
/*
 * The writing of UEFI variables by one CPU, the last online one, while the boot CPU watches it: a
 * call that does not return is broken off after UEFI_LIMIT_US (machine/uefi_runtime.h), and a CPU
 * that even then does not come back is lost (cpus/cpu_pool.h). Where there is one CPU, a timer
 * watches it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/uefi_runtime.h"
#include "save/saved.h"
#include "save/saved_lines.h"

/* Why something was not written. */
struct saving_failure {
    const char *service; /* UEFI's, that failed; NULL: none did */
    uint64_t status;
    struct uefi_name foreign; /* a variable of okram's name that is not okram's; or "" */
    bool is_full;             /* the store has too little left: nothing was written */
    bool is_cut;              /* so little that not all of the report is kept */
    uint64_t remaining;       /* bytes of the store, where one of these two is set */
};

/*
 * Writes the first state of a run, and deletes the parts of an earlier run's report, which its
 * state no longer counts.
 */
void saving_job_start(const struct saved_state *state, struct saving_failure *ret_failure);

/* Writes the state again, where it leaves room for the report. */
void saving_job_state(const struct saved_state *state, struct saving_failure *ret_failure);

/*
 * Writes the report in as many parts as fit, then the state, completed by what concerns the parts,
 * then pstore's dump, and has the next boot start what okram was booted from, if wanted.
 */
void saving_job_finish(const struct saved_state *state, const struct saved_lines *lines,
                       bool boot_again, struct saving_failure *ret_failure);
