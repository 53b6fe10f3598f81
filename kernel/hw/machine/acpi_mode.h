// SPDX-License-Identifier: MIT
/*
 * ACPI mode, in which buttons set bits and S5 switches the machine off (ACPI 6.5, 4.8.2.1.1). In
 * the other mode, which BIOS leaves on, firmware handles the power button and standby itself. Boot
 * CPU only.
 */
#pragma once

#include <stdbool.h>

#include "machine/power_registers.h"

/* Turns it on. False, after 3 seconds: firmware was asked for it, and it is still off. */
bool acpi_mode_enter(const struct machine_power *power);
