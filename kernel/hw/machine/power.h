// SPDX-License-Identifier: MIT
/* Leaving: QEMU's exit, reboot, power off. Each tries what the machine offers, in turn. */
#pragma once

#include <stdint.h>

#include "machine/power_registers.h"

/* Ends QEMU through isa-debug-exit with status 2 * code + 1; returns when there is none. */
void machine_exit_qemu(uint8_t code);

/*
 * Resets in Linux's order (arch/x86/kernel/reboot.c): ACPI's register, the keyboard controller,
 * both once more, UEFI's ResetSystem, port 0xcf9, at last a triple fault. ResetSystem comes first
 * where ACPI is hardware-reduced.
 */
_Noreturn void machine_reboot(const struct machine_power *power);

/*
 * Enters ACPI's state S5 as ACPICA does (acpi_hw_legacy_sleep), in ACPI mode: all events are
 * cleared and disabled, the sleep type is written before the bit that starts it, and that bit once
 * more after ten seconds. By the sleep control register where ACPI is hardware-reduced. Returns
 * only when the machine stays on, after seconds: why, for "cannot power off: %s".
 */
const char *machine_power_off(const struct machine_power *power);
