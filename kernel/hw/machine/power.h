// SPDX-License-Identifier: MIT
/* Leaving: QEMU's exit, reboot, power off. Each tries what the machine offers, in turn. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the FADT says about power; a zero port or NULL: not there. */
struct machine_power {
    uint16_t pm1a_control, pm1b_control; /* I/O ports */
    uint8_t sleep_type_a, sleep_type_b;  /* of \_S5 */
    bool has_s5;
    uint16_t sleep_port; /* the sleep control register of hardware-reduced ACPI, or */
    volatile uint8_t *sleep_register;
    uint16_t reset_port; /* or */
    volatile uint8_t *reset_register;
    uint8_t reset_value;
    uint16_t
        smi_command_port; /* acpi_enable written to it turns ACPI mode on; 0: it is always on */
    uint8_t acpi_enable;
};

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
