// SPDX-License-Identifier: MIT
/* What the FADT says about power; a zero port or NULL: not there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/pci.h"

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
    uint16_t reset_port;              /* or */
    volatile uint8_t *reset_register; /* or */
    bool reset_is_in_pci;
    struct pci_function reset_function;
    uint8_t reset_offset;
    uint8_t reset_value;
    uint16_t
        smi_command_port; /* acpi_enable written to it turns ACPI mode on; 0: it is always on */
    uint8_t acpi_enable;
    bool is_reduced; /* hardware-reduced ACPI: firmware restarts such a machine */
};
