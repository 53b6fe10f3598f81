// SPDX-License-Identifier: MIT
/*
 * The power button and the sleep button, where they are fixed hardware of ACPI: bits of the PM1
 * status registers that a short press sets and a write of 1 clears (ACPI 6.5, 4.8.2.2.1 and
 * 4.8.3.1.1). They are polled; their interrupt stays masked. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/power_registers.h"

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
