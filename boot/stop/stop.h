// SPDX-License-Identifier: MIT
/* The end of a loader that cannot go on, nor return to whoever started it. */
#pragma once

/*
 * Stops the machine: as after a panic, the screen is left to be read, whatever exit= says, but for
 * exit=qemu: then QEMU exits with okram's code for an internal error. The options are those of
 * okram.conf ("" where there is none), then of the boot command line, then of fw_cfg.
 */
_Noreturn void stop(const char *conf, const char *cmdline);
