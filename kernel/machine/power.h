// SPDX-License-Identifier: MIT
/* Leaving: QEMU's exit, reboot, power off. Each tries what the machine offers, in turn. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What ACPI's FADT says of power; a zero port or NULL: not there. */
struct machine_power {
    uint16_t pm1a_control, pm1b_control; /* I/O ports */
    uint8_t sleep_type_a, sleep_type_b;  /* of \_S5 */
    bool has_s5;
    uint16_t reset_port; /* or */
    volatile uint8_t *reset_register;
    uint8_t reset_value;
};

/* Ends QEMU through isa-debug-exit with status 2 * code + 1; returns when there is none. */
void machine_exit_qemu(uint8_t code);

/* Resets by ACPI's register, the keyboard controller, port 0xcf9, at last a triple fault. */
_Noreturn void machine_reboot(const struct machine_power *power);

/* Enters ACPI S5; returns when the machine does not turn off within a second. */
void machine_power_off(const struct machine_power *power);
