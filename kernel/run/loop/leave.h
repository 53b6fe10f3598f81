// SPDX-License-Identifier: MIT
/* How the run ends: the option exit=. */
#pragma once

#include "verdict/leave_code.h"
#include "options/options.h"

/* Makes a panic end in the same way. Before this call a panic waits. */
void leave_prepare(const struct options *options);

/* By exit=: waits until a key restarts the machine, reboots, powers off or ends QEMU. */
_Noreturn void leave(const struct options *options, enum leave_code code);
