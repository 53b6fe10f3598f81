// SPDX-License-Identifier: MIT
/* How the run ends: the option exit=. */
#pragma once

#include "options/options.h"

/* What QEMU's exit says (docs/design.md, "Contract"). */
enum leave_code {
    LEAVE_CLEAN = 0,
    LEAVE_FAULTY = 1,
    LEAVE_FAILED = 2,
    LEAVE_UNFINISHED = 3, /* stopped before a whole pass, or not complete; no bad pages */
    LEAVE_CORRECTED = 4,  /* no bad pages, but ECC corrected errors of memory */
};

/* Makes a panic end in the same way. Before this call it waits. */
void leave_prepare(const struct options *options);

/* Waits until a key restarts the machine; reboots, powers off or ends QEMU. */
_Noreturn void leave(const struct options *options, enum leave_code code);
