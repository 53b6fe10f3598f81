// SPDX-License-Identifier: MIT
/*
 * Why something was not written to UEFI variables, and the warnings of it. Touches no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/warn.h"
#include "machine/uefi_runtime.h"

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

/*
 * One warning for the guard's list, and one for the rest, if they failed. list_why and why: how the
 * call of their service ended, as uefi_append_status says it.
 */
void saving_warn(const struct saving_failure *f, const char *list_why, const char *why,
                 const struct warnings *to);
