// SPDX-License-Identifier: MIT
/* How the run ends: the option exit=. */
#pragma once

#include "options/options.h"

/* What QEMU's exit tells (DESIGN.md, Options). */
enum leave_code {
    LEAVE_CLEAN = 0,
    LEAVE_HOLES = 1,
    LEAVE_FAILED = 2,
    LEAVE_UNFINISHED = 3, /* stopped before a whole pass, or not complete; no holes */
};

/* A panic leaves in the same way. Before the options are known it waits. */
void leave_prepare(const struct options *options);

/* Leaves: waits for ever, reboots, powers off or ends QEMU. */
_Noreturn void leave(const struct options *options, enum leave_code code);
