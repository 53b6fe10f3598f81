// SPDX-License-Identifier: MIT
/* The screen and the report of a run. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/*
 * Opens what the options want, and has it receive all events. Boot CPU, after take_over_memory and
 * the choice of a serial port.
 */
void open_console(const struct boot_info *boot, const struct options *options);
