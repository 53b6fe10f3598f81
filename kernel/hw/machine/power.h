// SPDX-License-Identifier: MIT
/*
 * Leaving (QEMU's exit, reboot, power off: each tries what the machine offers, in turn), and the
 * buttons that ask for it. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the FADT says about power; a zero port or NULL: not there. */
struct machine_power {
    uint16_t pm1a_control, pm1b_control; /* I/O ports */
    uint16_t pm1a_event, pm1b_event;     /* of their status registers */
    uint8_t pm1_enable_at;               /* from there to the enable registers */
    uint16_t gpe[2];                     /* general purpose events: status, then enable */
    uint8_t gpe_bytes[2];                /* of each half */
    bool power_button, sleep_button;     /* are bits of these */
    uint8_t sleep_type_a, sleep_type_b;  /* of \_S5 */
    bool has_s5;
    uint16_t sleep_port; /* the sleep control register of hardware-reduced ACPI, or */
    volatile uint8_t *sleep_register;
    uint16_t sleep_status_port; /* or */
    volatile uint8_t *sleep_status_register;
    uint16_t reset_port; /* or */
    volatile uint8_t *reset_register;
    uint8_t reset_value;
    uint16_t
        smi_command_port; /* acpi_enable written to it turns ACPI mode on; 0: it is always on */
    uint8_t acpi_enable;
    bool is_reduced; /* hardware-reduced ACPI: firmware restarts such a machine */
};

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

/*
 * The power button and the sleep button, where they are fixed hardware of ACPI: bits of the PM1
 * status registers that a short press sets and a write of 1 clears (ACPI 6.5, 4.8.2.2.1 and
 * 4.8.3.1.1). They are polled; their interrupt stays masked.
 */
struct power_button {
    uint16_t status[2]; /* I/O ports; 0: not there */
    uint16_t bits;      /* that are watched; 0: none */
};

/*
 * Turns ACPI mode on and lets the buttons set their bits; what was pressed before does not count. A
 * notice says so if ACPI mode cannot be turned on.
 */
void power_button_begin(const struct machine_power *power, struct power_button *ret_button);

static inline bool power_button_works(const struct power_button *button)
{
    return button->bits != 0;
}

/* Whether one was pressed since the last call. */
bool power_button_pressed(const struct power_button *button);
