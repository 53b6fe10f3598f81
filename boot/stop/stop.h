// SPDX-License-Identifier: MIT
/* Stops a loader that can neither continue nor return. */
#pragma once

#include <stdbool.h>

/*
 * Stops the machine: as after a panic, the message stays on the screen, whatever exit= says; only
 * with exit=qemu QEMU exits, with okram's code for an internal error. The options are those of
 * okram.conf ("" where there is none), then of the boot command line, then of fw_cfg.
 */
_Noreturn void stop(const char *conf, const char *cmdline);
