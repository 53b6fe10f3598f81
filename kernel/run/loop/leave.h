// SPDX-License-Identifier: MIT
/* How the run ends: the option exit=. */
#pragma once

#include "loop/poll.h"
#include "verdict/leave_code.h"

/*
 * Before anything else: what a panic does in this run (arch/panic.h). Each step does nothing until
 * what it needs has begun; with exit=qemu a panic leaves QEMU, with exit=reboot, or before another
 * start of cycles=, it restarts the machine after a minute, else it waits.
 */
void leave_prepare(struct run *run);

/* By exit=: waits until a key restarts the machine, reboots, powers off or ends QEMU. */
_Noreturn void leave(struct poll *poll, enum leave_code code);
