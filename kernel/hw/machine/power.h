// SPDX-License-Identifier: MIT
/* Leaving: QEMU's exit, reboot, power off. Each tries what the machine offers, in turn. */
#pragma once

#include <stdint.h>

#include "machine/power_registers.h"

/* Ends QEMU through isa-debug-exit with status 2 * code + 1; returns when there is none. */
void machine_exit_qemu(uint8_t code);

/* Resets by ACPI's register, the keyboard controller, port 0xcf9, at last a triple fault. */
_Noreturn void machine_reboot(const struct machine_power *power);

/*
 * Enters ACPI's state S5, after turning ACPI mode on where firmware has left it off (ACPI 6.5,
 * 4.8.3.2.1); by the sleep control register where ACPI is hardware-reduced. Returns only when the
 * machine stays on, after seconds: why, for "cannot power off: %s".
 */
const char *machine_power_off(const struct machine_power *power);
